"""Definitions in Lean of built-ins that neither Lean nor Mathlib has, written where a file uses them.

They are the built-ins as docs/reference/kleis.md §8 defines them, on all arguments: an index before a list is 0, what is
not found is at -1.  A string is the list of its code points in both languages.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from kleis.lean.language import lean_tree as lean
from kleis.lean.language.lean_parser import parse_file

__all__ = ["definitions", "used_definitions"]

_TEXT = """
def Builtin.range (start bound : ℤ) : List ℤ :=
  List.map (fun (i : ℕ) => start + (i : ℤ)) (List.range (Int.toNat (bound - start)))

def Builtin.slice {α : Type u} (l : List α) (start bound : ℤ) : List α :=
  List.drop (Int.toNat start) (List.take (Int.toNat bound) l)

def Builtin.rotate {α : Type u} (l : List α) (count : ℤ) : List α :=
  List.rotateLeft l (Int.toNat (count % (List.length l : ℤ)))

def Builtin.setOf {α : Type u} (l : List α) : Set α :=
  fun (x : α) => x ∈ l

def Builtin.substr (s : String) (start count : ℤ) : String :=
  String.ofList (List.take (Int.toNat count) (List.drop (Int.toNat start) (String.toList s)))

def Builtin.charAt (s : String) (index : ℤ) : String :=
  if index < (0 : ℤ) then "" else Builtin.substr s index (1 : ℤ)

def Builtin.starts (s part : String) (at_ : ℕ) : Bool :=
  List.isPrefixOf (String.toList part) (List.drop at_ (String.toList s))

def Builtin.indexOf (s part : String) (start : ℤ) : ℤ :=
  if start < (0 : ℤ) then (-1 : ℤ) else List.headD (List.map (fun (i : ℕ) => (i : ℤ)) (List.filter (fun (i : ℕ) => decide (start ≤ (i : ℤ)) && Builtin.starts s part i) (List.range (String.length s + 1)))) (-1 : ℤ)

def Builtin.replace (s old new : String) : String :=
  if Builtin.indexOf s old (0 : ℤ) < (0 : ℤ) then s else Builtin.substr s (0 : ℤ) (Builtin.indexOf s old (0 : ℤ)) ++ (new ++ Builtin.substr s (Builtin.indexOf s old (0 : ℤ) + (String.length old : ℤ)) (String.length s : ℤ))

def Builtin.isSpace (c : Char) : Bool :=
  List.elem (Char.toNat c) ([9, 10, 11, 12, 13, 32, 133, 160, 5760, 8192, 8193, 8194, 8195, 8196, 8197, 8198, 8199, 8200, 8201, 8202, 8232, 8233, 8239, 8287, 12288] : List ℕ)

def Builtin.trimLeft (s : String) : String :=
  String.ofList (List.dropWhile Builtin.isSpace (String.toList s))

def Builtin.trimRight (s : String) : String :=
  String.ofList (List.reverse (List.dropWhile Builtin.isSpace (List.reverse (String.toList s))))

def Builtin.trim (s : String) : String :=
  Builtin.trimRight (Builtin.trimLeft s)

def Builtin.isAscii (s : String) : Bool :=
  List.all (String.toList s) (fun (c : Char) => decide (32 ≤ Char.toNat c) && decide (Char.toNat c ≤ 126))

def Builtin.isDigits (s : String) : Bool :=
  decide (s ≠ "") && List.all (String.toList s) Char.isDigit

def Builtin.isAlpha (s : String) : Bool :=
  decide (s ≠ "") && List.all (String.toList s) Char.isAlpha

def Builtin.isAlphaNum (s : String) : Bool :=
  decide (s ≠ "") && List.all (String.toList s) Char.isAlphanum

def Builtin.signed (sign : ℤ) (l : List Char) : ℤ :=
  if List.length l > 0 ∧ List.all l Char.isDigit = true then sign * List.foldl (fun (n : ℤ) (c : Char) => n * (10 : ℤ) + ((Char.toNat c : ℤ) - (48 : ℤ))) (0 : ℤ) l else (-1 : ℤ)

def Builtin.strToInt (s : String) : ℤ :=
  match String.toList (Builtin.trim s) with
  | [] => (-1 : ℤ)
  | c :: rest => if Char.toNat c = 45 then Builtin.signed (-1 : ℤ) rest else (if Char.toNat c = 43 then Builtin.signed (1 : ℤ) rest else Builtin.signed (1 : ℤ) (c :: rest))
"""


@cache
def definitions() -> dict[str, lean.Def]:
    """All definitions by name, each after those that it calls."""
    return {each.name: each for each in parse_file(_TEXT) if isinstance(each, lean.Def)}


def used_definitions(commands: Iterable[lean.Command]) -> tuple[lean.Def, ...]:
    """The definitions that commands call, themselves or through each other, in order."""
    known = definitions()
    found: set[str] = set()
    waiting: list[lean.Command] = list(commands)
    while waiting:
        for each in lean.walk(waiting.pop()):
            if isinstance(each, lean.Name) and each.text in known and each.text not in found:
                found.add(each.text)
                waiting.append(known[each.text])
    return tuple(known[name] for name in known if name in found)
