"""What task, answer, witness and verdict are.

- `verdict`: the one type in which questions are answered
- `engine`: tasks, answers, engines and other jobs of the broker
- `witness`: witness records
- `points`: points with irrational coordinates
- `recorded_answers`: answers as engines gave them
"""
