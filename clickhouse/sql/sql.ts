/**
 * SQL as a value. A query consists of static text, other SQL and typed parameters. Interpolating anything else, such as
 * a string, is a type error. Only `render` (with separate parameters) and `inline` (with literals) return text.
 */
export interface Sql {
  readonly parts: readonly Part[]
}

type Part = string | Parameter | TableMark | EndMark

/** Mark of a FROM clause: the table, and the companies whose rows are read. Only `clickhouse/tables/from.ts` creates marks. */
export interface TableMark {
  readonly mark: 'table'
  readonly table: string
  readonly rowsOf: RowsOf
}

/** Whose rows are read: those of a company by ref or id, those of several with the reason, or those of a table without companies. */
export type RowsOf = { readonly company: number | string } | { readonly all: string } | 'shared'

/** End of a FROM clause with its WHERE: the following text is not part of the condition. */
interface EndMark {
  readonly mark: 'end'
}

/** A bound value with its ClickHouse type. */
export interface Parameter {
  readonly type: ParameterType
  readonly value: Value | readonly Value[]
}

type Value = string | number | bigint
/** Types of single values in the notation of ClickHouse. */
export type ScalarType =
  | 'UInt8'
  | 'UInt16'
  | 'UInt32'
  | 'UInt64'
  | 'Int32'
  | 'Int64'
  | 'Float64'
  | 'String'
  | 'Date32'
  | "DateTime('UTC')"
  | "DateTime64(3, 'UTC')"
export type ParameterType = ScalarType | `Array(${ScalarType})`

/** A query as the client sends it: text with placeholders `{p0:Type}`, and their values. */
export interface RenderedQuery {
  readonly query: string
  readonly query_params: Readonly<Record<string, Parameter['value']>>
}

/** Template tag: sql`SELECT x FROM t WHERE y = ${uint32(3)} AND ${otherSql}`. */
export function sql(text: TemplateStringsArray, ...values: readonly (Sql | Parameter)[]): Sql {
  const parts: Part[] = [text[0] ?? '']
  values.forEach((value, i) => {
    if ('parts' in value) parts.push(...value.parts)
    else parts.push(value)
    parts.push(text[i + 1] ?? '')
  })
  return { parts }
}

export const empty: Sql = { parts: [] }

/** Creates verbatim SQL, such as a statement of a migration. A test lists the callers. */
export function rawSql(text: string): Sql {
  return { parts: [text] }
}

/** Creates the clause of a table's rows between its marks. A test lists the callers. */
export function marked(table: string, rowsOf: RowsOf, clause: (name: Sql) => Sql): Sql {
  return { parts: [...clause({ parts: [{ mark: 'table', table, rowsOf }] }).parts, { mark: 'end' }] }
}

/** Returns an integer as a literal, for positions that do not accept a parameter. */
export function literalInteger(value: number): Sql {
  if (!Number.isSafeInteger(value)) throw new RangeError(`Invalid integer: ${value}`)
  return { parts: [String(value)] }
}

/** Joins items with a separator; empty for no items. */
export function join(items: readonly Sql[], separator: Sql = sql`, `): Sql {
  return { parts: items.flatMap((item, i) => (i === 0 ? item.parts : [...separator.parts, ...item.parts])) }
}

/** Returns the identifier of a table or column of the registry. Accepts only literal types, not `string`. */
export function ident<const Name extends string>(name: string extends Name ? never : Name): Sql {
  if (!/^[A-Za-z_]\w*(\.[A-Za-z_]\w*)*$/.test(name)) throw new TypeError(`Not an identifier: ${JSON.stringify(name)}`)
  return { parts: [name] }
}

/** Creates the constructor of parameters of a scalar type, which checks its input. */
export interface Scalar<Input> {
  (input: Input): Parameter
  readonly type: ScalarType
  readonly bind: (input: Input) => Value
}

export const uint8 = scalar('UInt8', integer(0, 0xff))
export const uint32 = scalar('UInt32', integer(0, 0xffffffff))
export const uint64 = scalar('UInt64', bigInteger(0n, 2n ** 64n - 1n))
export const int32 = scalar('Int32', integer(-0x80000000, 0x7fffffff))
export const int64 = scalar('Int64', bigInteger(-(2n ** 63n), 2n ** 63n - 1n))
export const float64 = scalar('Float64', finite)
export const str = scalar('String', (value: string) => value)
/** A local date `YYYY-MM-DD`. */
export const date = scalar('Date32', dateText)
/** UTC ms, truncated to seconds. */
export const second = scalar("DateTime('UTC')", (ms: number) => instantText(ms).slice(0, 19))
/** UTC ms; bound as text, because clients lose the milliseconds of a `Date`. */
export const dateTime64 = scalar("DateTime64(3, 'UTC')", instantText)

/** An array parameter: array(uint32, [1, 2]) is bound as `Array(UInt32)`. */
export function array<Input>(item: Scalar<Input>, values: readonly Input[]): Parameter {
  return arrayOf(item, values, value => value)
}

/** Creates an array parameter with one value per item. */
export function arrayOf<Input, Item>(
  scalar: Scalar<Input>,
  items: readonly Item[],
  read: (item: Item) => Input,
): Parameter {
  return { type: `Array(${scalar.type})`, value: items.map(item => scalar.bind(read(item))) }
}

/** Returns text and parameters; equal for equal SQL. */
export function render({ parts }: Sql): RenderedQuery {
  const params: Record<string, Parameter['value']> = {}
  let count = 0
  const query = parts.map(part => {
    if (typeof part === 'string' || 'mark' in part) return textOf(part)
    const name = `p${count++}`
    params[name] = part.value
    return `{${name}:${part.type}}`
  })
  return { query: query.join(''), query_params: params }
}

/**
 * Returns the text with the parameters as literals of their types. For parameters that are too long for a URL, and for the
 * embedded engine: parameters of parallel connections mix (chdb 3.4), so binding would serialize all queries of the
 * process.
 */
export function inline({ parts }: Sql): string {
  return parts
    .map(part =>
      typeof part === 'string' || 'mark' in part ? textOf(part) : `CAST(${literal(part)}, ${quote(part.type)})`,
    )
    .join('')
}

function textOf(part: Exclude<Part, Parameter>): string {
  if (typeof part === 'string') return part
  return part.mark === 'table' ? part.table : ''
}

/** Returns the quoted name of a database from the settings. */
export function databaseName(name: string): string {
  if (!/^\w+$/.test(name)) throw new TypeError(`Not a database name: ${JSON.stringify(name)}`)
  return `\`${name}\``
}

/** Returns a string literal of ClickHouse. */
export function quote(text: string): string {
  return `'${text.replace(/[\\'\0]/g, char => (char === '\0' ? '\\0' : `\\${char}`))}'`
}

function literal({ value }: Parameter): string {
  return typeof value === 'object' ? `[${value.map(scalarLiteral).join(',')}]` : scalarLiteral(value)
}

function scalarLiteral(value: Value): string {
  return typeof value === 'string' ? quote(value) : String(value)
}

function scalar<Input>(type: ScalarType, bind: (input: Input) => Value): Scalar<Input> {
  return Object.assign((input: Input): Parameter => ({ type, value: bind(input) }), { type, bind })
}

function integer(min: number, max: number): (value: number) => number {
  return value => {
    if (!Number.isInteger(value) || value < min || value > max)
      throw new RangeError(`${value} is not in ${min}..${max}`)
    return value
  }
}

function bigInteger(min: bigint, max: bigint): (value: number | bigint | string) => bigint {
  return value => {
    const exact = toBigInt(value)
    if (exact < min || exact > max) throw new RangeError(`${exact} is not in ${min}..${max}`)
    return exact
  }
}

function toBigInt(value: number | bigint | string): bigint {
  const exact =
    typeof value === 'number' ? Number.isSafeInteger(value) : typeof value === 'bigint' || /^-?\d+$/.test(value)
  if (!exact) throw new RangeError(`Invalid integer: ${value}`)
  return BigInt(value)
}

function finite(value: number): number {
  if (!Number.isFinite(value)) throw new RangeError(`${value} is not finite`)
  return value
}

function dateText(value: string): string {
  if (!/^\d{4}-\d\d-\d\d$/.test(value)) throw new RangeError(`Invalid date ${JSON.stringify(value)}: use YYYY-MM-DD`)
  return value
}

/** `YYYY-MM-DD HH:MM:SS.mmm` in UTC. */
function instantText(ms: number): string {
  return new Date(ms).toISOString().replace('T', ' ').slice(0, 23)
}
