import { type Sql, sql } from '../sql/sql.ts'

/** Returns a condition in parentheses, so that they contain an OR. Throws if its own parentheses or quotes are not balanced. */
export function enclosed(condition: Sql): Sql {
  outerText(condition)
  return sql`(${condition})`
}

const clauseWords = /\b(select|from|join|where|prewhere|group|order|having|limit|union|except|intersect|settings)\b/i

/** Returns columns of an ARRAY JOIN unchanged. Throws if they contain the start of another clause. */
export function columnsAlone(columns: Sql): Sql {
  if (clauseWords.test(outerText(columns))) rejectSql(columns)
  return columns
}

const tokens = /'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`|--|\/\*|[()[\]'"`#$]|[^()[\]'"`#$/-]+|[/-]/gs
const mayHide = /^(?:['"`#$]|--|\/\*)$/

/** Returns the text outside of quotes and parentheses. Throws if they are not balanced, or if there is a comment. */
function outerText(of: Sql): string {
  let outer = ''
  let depth = 0
  for (const [token] of textOf(of).matchAll(tokens)) {
    if (mayHide.test(token)) rejectSql(of)
    if (token === '(' || token === '[') depth++
    else if (token === ')' || token === ']') depth--
    else if (depth === 0) outer += token
    if (depth < 0) rejectSql(of)
  }
  if (depth > 0) rejectSql(of)
  return outer
}

function textOf({ parts }: Sql): string {
  return parts.map(part => (typeof part === 'string' ? part : ' ? ')).join('')
}

function rejectSql(of: Sql): never {
  throw new Error(`invariant: a part of a WHERE or an ARRAY JOIN is not a complete expression: ${textOf(of)}`)
}
