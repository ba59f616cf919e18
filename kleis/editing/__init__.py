"""What editors know of a text of Kleis, without asking a prover.

- `words`: the words and symbols of the language by what they are, taken from its own tables
- `colours`: a text in coloured pieces, which together are the text
- `abbreviations`: ``\\forall`` for ∀ and all other symbols
- `statements`: a text that is typed in pieces: its statements, and whether it is all there
- `completion`: what may stand at a place: names in scope, the library's names, words, symbols, files
- `pygments_lexer`: the same for Pygments, registered for `.kleis`
- `textmate`: the same by spelling, as a TextMate grammar
- `declared_names`: what a program declares, and where each name is written
- `local_scopes`: where local names reach
- `occurrences`: every name of a text and what it means; a text as an editor has it
- `definitions`: where a name is declared and used, over the files of a program
- `rename`: a name replaced wherever it means the same, or the reason why not
- `quick_fixes`: the import that declares a name, the name that was meant
- `describe`: what stands at a place, for people
- `outline`: the outline of a text, and the propositions in it

Call `occurrences.Document` first: it takes any text.  Nothing here has a list of keywords or operators of its own: a new
operator of `kleis/syntax/operators.py` is coloured without a change here.  `registry/cli/terminal/` shows colours on the
terminal, `registry/cli/kleis/language_server/` all of it to editors.
"""
