"""The property suites, run for longer: `make fuzz N=200000` or `python -m tests.fuzz --examples 200000`."""
