import { type Sql, sql } from '../sql/sql.ts'

/** A condition in parentheses, which contain an OR. Throws unless it is one expression with matching parentheses. */
export function enclosed(condition: Sql): Sql {
  outerText(condition)
  return sql`(${condition})`
}

const clauseWords = /\b(select|from|join|where|prewhere|group|order|having|limit|union|except|intersect|settings)\b/i

/** Columns of an ARRAY JOIN, unchanged. Throws if they contain another clause. */
export function columnsAlone(columns: Sql): Sql {
  if (clauseWords.test(outerText(columns))) refuse(columns)
  return columns
}

const tokens = /'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`|--|\/\*|[()[\]'"`#$]|[^()[\]'"`#$/-]+|[/-]/gs
const mayHide = /^(?:['"`#$]|--|\/\*)$/

/** The text outside quotes and parentheses. Throws if these do not match, and on a comment. */
function outerText(of: Sql): string {
  let outer = ''
  let depth = 0
  for (const [token] of textOf(of).matchAll(tokens)) {
    if (mayHide.test(token)) refuse(of)
    if (token === '(' || token === '[') depth++
    else if (token === ')' || token === ']') depth--
    else if (depth === 0) outer += token
    if (depth < 0) refuse(of)
  }
  if (depth > 0) refuse(of)
  return outer
}

function textOf({ parts }: Sql): string {
  return parts.map(part => (typeof part === 'string' ? part : ' ? ')).join('')
}

function refuse(of: Sql): never {
  throw new Error(`invariant: a part of a WHERE or an ARRAY JOIN is not a complete expression: ${textOf(of)}`)
}
