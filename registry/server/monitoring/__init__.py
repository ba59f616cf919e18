"""The server seen from outside: health, metrics, logs, traces (docs/reference/serving.md §3.5).

- `metrics`: calls, lanes, fuel, provers and memory, as Prometheus reads them
- `health`: whether the process lives, and whether it can answer
- `call_log`: log lines as JSON, one for each call
- `tracing`: spans of requests, provers and the store, for OpenTelemetry
- `monitoring`: metrics and health put together for one server

Call `monitoring.Monitoring` first. Nothing here may make a call wait or fail: an observer that raises is a recorded defect.
"""
