"""`kleis repl`: a theory session at a prompt.

- `print_reply`: replies on a terminal, or plain
- `repl`: the prompt over a session of the home

What statements mean is in `kleis/conversation/`, how they are typed in `registry/cli/terminal/prompt/`.
"""
