"""What tests of views share.

- `hostile`: text that would run or deceive, and what a browser would make of a document
- `recorded`: answers of a real server, one for each tool that has a view
"""
