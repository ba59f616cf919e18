"""Pictures as data: what `diagram` collects, read into series, axes and options, before anything is drawn.

- `styles`: colours, strokes, lengths, marks and alignments, in the notation of Typst
- `scales`: the functions of a derived axis, as terms of arithmetic
- `options`: the options of every element and of a diagram, with their readers
- `picture`: a picture with its series and axes; its name
- `read`: a picture from the value of `diagram` or `export_typst`

Call `read.read_picture` first.  A new element is a row in `kleis/builtins/rows/plots.py`, its options here, and a function
in `kleis/documents/matplotlib_series.py`.  Nothing here needs a library. See docs/reference/documents.md §1.
"""
