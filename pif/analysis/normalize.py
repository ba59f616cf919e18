def normalize(term, visit):
    visit(term.nodes)
    return term
