"""What Kleis programs and propositions mean.

    source ──parse──> syntax ──load──> theory ──elaborate──> Meaning ──> engines (kleis/logic), reference semantics

`kleis.meaning.core` is the typed core, `kleis.meaning.meaning` what surrounds a claim,
`kleis.meaning.elaborate` the way from a theory and a proposition to them, and `kleis.meaning.reference` the
executable semantics: slow, obvious, and the oracle of every other engine.  Specification: proving.md §1.
"""
