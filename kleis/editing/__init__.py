"""What editors know of a text of Kleis, without asking a prover.

- `words`: the words and symbols of the language by what they are, taken from its own tables
- `colours`: a text in coloured pieces, which together are the text
- `abbreviations`: ``\\forall`` for ∀ and all other symbols
- `statements`: a text that is typed in pieces: its statements, and whether it is all there
- `completion`: what may stand at a place: names in scope, the library's names, words, symbols, files
- `pygments_lexer`: the same for Pygments, registered for `.kleis`

Nothing here has a list of keywords or operators of its own: a new operator of `kleis/syntax/operators.py` is coloured
without a change here.  `registry/cli/terminal/` shows it on the terminal.
"""
