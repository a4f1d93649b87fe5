import { render, type Sql } from '../sql/sql.ts'
import type { Store } from './store.ts'
import type { CompanyRef } from '../../schema/refs.ts'

/**
 * The last check before a report is run: throws unless every table is read under the company's own condition, as a conjunct of its
 * own SELECT's WHERE. What is compiled always has it; a bug that loses it must not show one company another's plant. Strict on
 * purpose: a form that it doesn't know is refused. Tables that tell companies by id may be read where the id is given, too.
 */
export function refuseWithoutCompany(query: Sql, companyRef: CompanyRef, companyId?: string): Sql {
  const { query: text, query_params: params } = render(query)
  const tokens = readTokens(text)
  const named = namedSelects(tokens)
  const isGuarded = (i: number): boolean => {
    const source = tokens[i + 1]?.text ?? ''
    if (source === '(' || named.has(source) || harmlessTables.has(source)) return true
    if (tokens[i + 2]?.text === '(') return harmlessFunctions.has(source)
    return conditionsOf(tokens, i + 1).some(condition => {
      const [column, equals, value = '', ...rest] = condition
      const [, parameter = '', type] = /^\{(\w+):(UInt32|String)\}$/.exec(value) ?? []
      const own = type === 'String' ? companyId : companyRef
      return (
        column === 'company' && equals === '=' && rest.length === 0 && own !== undefined && params[parameter] === own
      )
    })
  }
  const reads = tokens.flatMap((_, i) => (readsTable(tokens, i) ? [i] : []))
  if (!reads.every(isGuarded) || tokens.some((_, i) => isUnknownForm(tokens, i)))
    throw new Error(`invariant: a report reads a table without its company: ${text}`)
  return query
}

/** The store as it may be asked for one company, by its ref and, where tables need it, its id: everything read is checked. */
export function guardedStore(store: Store, companyRef: CompanyRef, companyId?: string): Store {
  const check = (query: Sql) => refuseWithoutCompany(query, companyRef, companyId)
  return {
    ...store,
    query: async <Row>(query: Sql, options?: Parameters<Store['query']>[1]) => store.query<Row>(check(query), options),
    columns: async <Columns extends readonly unknown[][]>(query: Sql, options?: Parameters<Store['columns']>[1]) =>
      store.columns<Columns>(check(query), options),
    answer: async (query, options) => store.answer(check(query), options),
    numbers: async (query, names, options) => store.numbers(check(query), names, options),
    stream: (query, format, options) => store.stream(check(query), format, options),
    writeFile: async (query, format, path, options) => store.writeFile(check(query), format, path, options),
  }
}

interface Token {
  /** Keywords in capitals. */
  readonly text: string
  /** How many parentheses are around it. */
  readonly depth: number
}

/** Table functions that read nothing but what the query itself carries. */
const harmlessFunctions: ReadonlySet<string> = new Set(['format', 'values', 'numbers'])
/** Tables that say nothing of any company. */
const harmlessTables: ReadonlySet<string> = new Set(['system.parts'])
const keywords =
  /^(select|from|join|array|where|and|or|union|group|order|having|limit|settings|except|intersect|as|in|with)$/i
const endOfWhere: ReadonlySet<string> = new Set(['GROUP', 'ORDER', 'HAVING', 'LIMIT', 'SETTINGS'])
const nextSelect: ReadonlySet<string> = new Set(['UNION', 'EXCEPT', 'INTERSECT', 'SELECT'])

function readTokens(text: string): readonly Token[] {
  const parts = partsOf(text).filter(part => !part.startsWith('--') && !part.startsWith('/*'))
  let depth = 0
  return parts.map(part => {
    if (part === ')' || part === ']') depth--
    const token = { text: keywords.test(part) ? part.toUpperCase() : part, depth }
    if (part === '(' || part === '[') depth++
    return token
  })
}

/** Cuts SQL into its words, numbers, quoted texts, comments, parameters and signs, in one pass. */
function partsOf(text: string): readonly string[] {
  const parts: string[] = []
  for (let at = 0; at < text.length;) {
    const end = endOfPart(text, at)
    const part = text.slice(at, end)
    if (part.trim() !== '') parts.push(part)
    at = end
  }
  return parts
}

const word = /[\w.]+/y
const parameterStart = /\{\w+:/y

function endOfPart(text: string, at: number): number {
  const sign = text.charAt(at)
  if (sign === "'") return endOfText(text, at)
  if (sign === '`' || sign === '"') return after(text, sign, at + 1)
  if (text.startsWith('--', at)) return after(text, '\n', at)
  if (text.startsWith('/*', at)) return after(text, '*/', at + 2)
  if (matches(parameterStart, text, at)) return after(text, '}', at)
  return matches(word, text, at) ? word.lastIndex : at + 1
}

/** A text in single quotes; a backslash takes its meaning from the sign behind it. */
function endOfText(text: string, start: number): number {
  let at = start + 1
  while (at < text.length && text.charAt(at) !== "'") at += text.charAt(at) === '\\' ? 2 : 1
  return at + 1
}

/** Behind the next `end`; the end of all where there is none. */
function after(text: string, end: string, from: number): number {
  const at = text.indexOf(end, from)
  return at < 0 ? text.length : at + end.length
}

function matches(pattern: RegExp, text: string, at: number): boolean {
  pattern.lastIndex = at
  return pattern.test(text)
}

/** FROM or JOIN of something; ARRAY JOIN unfolds columns. */
function readsTable(tokens: readonly Token[], i: number): boolean {
  const text = tokens[i]?.text
  return text === 'FROM' || (text === 'JOIN' && tokens[i - 1]?.text !== 'ARRAY')
}

/** Forms that read a table in passing: `x IN table`, `FROM a, b`, and joins, whose condition could be the other side's. */
function isUnknownForm(tokens: readonly Token[], i: number): boolean {
  const { text, depth } = tokens[i] ?? { text: '', depth: 0 }
  const next = tokens[i + 1]?.text ?? ''
  if (text === 'IN') return !/^[({[]/.test(next)
  if (text !== 'FROM') return false
  const rest = tokens.slice(i + 1)
  const isClause = ({ text: word }: Token) => word !== 'AS' && keywords.test(word)
  const end = rest.findIndex(token => token.depth < depth || (token.depth === depth && isClause(token)))
  return rest.slice(0, end === -1 ? rest.length : end).some(token => token.depth === depth && token.text === ',')
}

/** Names given to whole SELECTs: `WITH name AS (SELECT`. */
function namedSelects(tokens: readonly Token[]): ReadonlySet<string> {
  return new Set(
    tokens.flatMap(({ text }, i) => {
      const [as, open, select] = tokens.slice(i + 1, i + 4).map(token => token.text)
      return as === 'AS' && open === '(' && select === 'SELECT' && isName(text) ? [text] : []
    }),
  )
}

function isName(text: string): boolean {
  return /^[A-Za-z_]\w*$/.test(text) && !keywords.test(text)
}

/**
 * Conditions that must all hold for a row of the table read at `i`: the WHERE of its SELECT, cut at AND. None where the SELECT
 * has an OR or a join.
 */
function conditionsOf(tokens: readonly Token[], i: number): readonly (readonly string[])[] {
  const { depth } = tokens[i] ?? { depth: 0 }
  const rest = tokens.slice(i)
  const end = rest.findIndex(token => token.depth < depth || (token.depth === depth && nextSelect.has(token.text)))
  const scope = rest.slice(0, end === -1 ? rest.length : end)
  const own = (text: string) => scope.findIndex(token => token.depth === depth && token.text === text)
  const where = own('WHERE')
  const joined = scope.some((token, j) => token.depth === depth && readsTable(scope, j))
  if (where === -1 || joined) return []
  const after = scope.slice(where + 1)
  const stop = after.findIndex(token => token.depth === depth && endOfWhere.has(token.text))
  const condition = after.slice(0, stop === -1 ? after.length : stop)
  return condition.some(token => token.depth === depth && token.text === 'OR') ? [] : splitAtAnd(condition, depth)
}

function splitAtAnd(tokens: readonly Token[], depth: number): readonly (readonly string[])[] {
  const conjuncts: string[][] = [[]]
  for (const token of tokens) {
    if (token.depth === depth && token.text === 'AND') conjuncts.push([])
    else conjuncts.at(-1)?.push(token.text)
  }
  return conjuncts
}
