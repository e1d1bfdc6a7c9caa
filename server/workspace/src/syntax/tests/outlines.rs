//! One sample a language, with what its outline shows.

use super::*;

/// Lines of `kind name`, indented by depth.
fn check(language: Language, text: &str, expect: &str) {
    let show =
        |item: Item| format!("{}{} {}\n", "  ".repeat(item.depth as usize), item.kind, item.name);
    let found: String = tree(language, text).outline().into_iter().map(show).collect();
    assert_eq!(found.trim_end(), expect.trim_end(), "{language:?}");
}

#[test]
fn rust() {
    check(
        Language::Rust,
        r#"
//! A room.
use std::fmt;
const A: u32 = 1;
static B: u32 = 1;
type C = u32;
pub struct D<T> { e: T }
enum E { X }
union U { a: u8 }
trait F { const G: u8; fn h(&self); fn i(&self) {} }
impl<T> D<T> { pub async fn j() { const K: u8 = 1; fn l() {} } }
impl<T: Fn()> fmt::Display for D<T> {}
macro_rules! m { () => {} }
mod other;
mod tests { #[test] fn n() {} }
"#,
        "
constant A
static B
type C
struct D
enum E
union U
trait F
  constant G
  method h
  method i
impl D<T>
  method j
    function l
impl fmt::Display for D<T>
macro m
module tests
  function n"
            .trim_start(),
    );
}

#[test]
fn python() {
    check(
        Language::Python,
        r#"
import os
A = 1
A.b = 2
type T = int
if A:
    C = 3
@dataclass
class D(Base):
    e: int = 1
    @property
    def f(self):
        g = 1
        def h(): pass
    class I: pass
async def j(): pass
"#,
        "
variable A
type T
class D
  method f
    function h
  class I
function j"
            .trim_start(),
    );
}

const SCRIPT: &str = r#"
import x from "x";
const a = 1, b = () => { const inner = 2; const c = function () {}; };
export default function d() {}
function* e() {}
export class F extends G {
  constructor() { super(); }
  #h = 1;
  i = async () => {};
  get j() { return 1; }
  static async k() {}
}
module.exports.l = function () {};
export const m = { n() {}, o: () => {}, "p-q": function () {}, r: 1 };
describe("s", () => {
  it.only('t', async () => {});
  test(`u`, function () {});
  it("no body");
});
(function () { const hidden = 1; })();
let v = class {};
"#;

const SCRIPT_OUTLINE: &str = "
variable a
function b
  function c
function d
function e
class F
  constructor constructor
  method i
  method j
  method k
function module.exports.l
variable m
  method n
  method o
  method p-q
test s
  test t
  test u
class v
";

#[test]
fn javascript() {
    check(Language::JavaScript, SCRIPT, SCRIPT_OUTLINE.trim_start());
    // Words that only TypeScript knows are names here.
    let names = "type = 1; declare(a); namespace.b(); let any = readonly, is = 2;";
    check(Language::JavaScript, names, "variable any\nvariable is");
    check(Language::JavaScript, "export default () => <p>{x}</p>", "function default");
    check(Language::JavaScript, "export default class { a() {} }", "class default\n  method a");
}

#[test]
fn typescript() {
    for language in [Language::TypeScript, Language::Tsx] {
        check(language, SCRIPT, SCRIPT_OUTLINE.trim_start());
        check(
            language,
            r#"
export interface A<T> { b(): void; c: T }
export type D = string | number;
export const enum E { F }
namespace G.H { export function i(): void {} }
declare module "j" { const k: number; }
declare function l(): void;
export abstract class M { abstract n(): void; protected o(p: string): asserts p {} }
function q(a: string): void;
function q(a: any) {}
const r = <T,>(x: T): T => x;
"#,
            "
interface A
type D
enum E
namespace G.H
  function i
module j
function l
class M
  method n
  method o
function q
function q
function r"
                .trim_start(),
        );
    }
    check(Language::Tsx, "export const A: FC = () => <div a={1}>b</div>;", "function A");
}

#[test]
fn go() {
    check(
        Language::Go,
        r#"
package main
import "fmt"
const A = 1
const (
	B = iota
	C
)
var d, e = 1, 2
type F struct{ g int }
type (
	H interface{ I() }
	J = int
	K func()
)
func L[T any](m T) { var n = 1; const o = 1; _ = n }
func (p *F) Q() { r := func() {}; r() }
func (G[T]) S() {}
"#,
        "
constant A
constant B
constant C
variable d
struct F
interface H
type J
type K
function L
method F.Q
method G[T].S"
            .trim_start(),
    );
}

const C_SOURCE: &str = r#"
#include <stdio.h>
#ifndef A_H
#define A_H
#define B(x) ((x) + 1)
static int c = 1;
extern const char *d[];
struct e { int f; struct g *h; };
typedef struct { int i; } j;
typedef int (*k)(int);
enum l { M };
union n { int o; };
int p(int q);
char *(*r(int s))(void);
int (*t)(int);
static inline int *u(struct e *v) { struct e w; int x; int y(void); return 0; }
#endif
"#;

const C_OUTLINE: &str = "
macro A_H
macro B
variable c
variable d
struct e
type j
type k
enum l
union n
function p
function r
variable t
function u
";

#[test]
fn c() {
    check(Language::C, C_SOURCE, C_OUTLINE.trim_start());
}

#[test]
fn cpp() {
    check(Language::Cpp, C_SOURCE, C_OUTLINE.trim_start());
    check(
        Language::Cpp,
        r#"
namespace a::b {
template <typename T>
class C : public D {
 public:
  C();
  explicit C(int x) : x_(x) {}
  ~C() = default;
  virtual void e() const = 0;
  T &f() { return x_; }
  bool operator==(const C &other) const;
 private:
  T x_;
  struct G { int h; };
};
template <typename T> T i(T j) { return j; }
}
namespace { int k; }
void a::b::C<int>::e() const {}
using L = int;
enum class M { N };
template <class T> concept O = true;
auto p() -> int { auto q = [] { return 1; }; return q(); }
"#,
        "
namespace a::b
  class C
    method C
    method C
    method ~C
    method e
    method f
    method operator==
    struct G
  function i
namespace (anonymous)
  variable k
function a::b::C<int>::e
type L
enum M
concept O
function p"
            .trim_start(),
    );
}

#[test]
fn java() {
    check(
        Language::Java,
        r#"
package a;
import b.C;
@D
public final class E<T> extends F {
    private int g;
    public E() {}
    @Override
    public String toString() { return ""; }
    interface H { void i(); }
    enum J { K { void l() {} } }
    record M(int n) { M { } }
}
@interface O { int p(); }
"#,
        "
class E
  constructor E
  method toString
  interface H
    method i
  enum J
    method l
  record M
    constructor M
annotation O"
            .trim_start(),
    );
}

#[test]
fn bash() {
    check(
        Language::Bash,
        "#!/bin/bash\nà=1\nb() { echo é; }\nfunction c {\n  d() { :; }\n}\ncat <<X\ne() {}\nX\n",
        "function b\nfunction c\n  function d",
    );
}

#[test]
fn data() {
    check(
        Language::Json,
        r#"{"a": {"b": {"c": 1}, "é": 2}, "f": [{"g": {"h": 1}}], "": 0}"#,
        "key a\n  key b\n  key é\nkey f\n  key g",
    );
    check(
        Language::Toml,
        "a = 1\n[b]\n# About c.\nc = { d = 1 }\n'e f' = 2\n[g.h]\n[[i]]\nj.k = 1\n",
        "key a\ntable b\n  key c\n  key e f\ntable g.h\ntable i\n  key j.k",
    );
    check(
        Language::Yaml,
        "%YAML 1.2\n---\na:\n  b:\n    c: 1\n  'd e': |\n    f: 1\ng:\n  - h: 1\n    i: 2\nj: {k: {l: 1}}\n---\nm: é\n",
        "key a\n  key b\n  key d e\nkey g\n  key h\n  key i\nkey j\n  key k\nkey m",
    );
}

#[test]
fn markdown() {
    check(
        Language::Markdown,
        "before\n# A *b*\ntext\n## C\n```\n# not this\n```\n### D ###\n## E\n\nF\n=\n\nG\n-\n#\n",
        "section A *b*\n  section C\n    section D\n  section E\nsection F\n  section G",
    );
}
