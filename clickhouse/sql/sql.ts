/**
 * SQL as a value. A query is put together from static text, other SQL and typed parameters; nothing else can be interpolated,
 * so a stray string is a type error. It becomes text only in `render` (parameters beside it) or `inline` (as literals).
 */
export interface Sql {
  readonly parts: readonly Part[]
}

type Part = string | Parameter | TableMark | EndMark

/** The name of a table in a FROM clause, and the owner of the rows. Only `clickhouse/tables/from.ts` creates them. */
export interface TableMark {
  readonly mark: 'table'
  readonly table: string
  readonly rowsOf: RowsOf
}

/** Owner of the rows: a company (`ref` or id); several companies, with the reason; or none. */
export type RowsOf = { readonly company: number | string } | { readonly all: string } | 'shared'

/** End of a FROM clause with its WHERE: the following text is not part of the condition. */
interface EndMark {
  readonly mark: 'end'
}

/** A value that travels beside the text, with the ClickHouse type it is bound as. */
export interface Parameter {
  readonly type: ParameterType
  readonly value: Value | readonly Value[]
}

type Value = string | number | bigint
/** Types of single values, as ClickHouse writes them. */
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

/** A query as the client sends it: the text with `{p0:Type}` placeholders, and their values. */
export interface RenderedQuery {
  readonly query: string
  readonly query_params: Readonly<Record<string, Parameter['value']>>
}

/** The tag: sql`SELECT x FROM t WHERE y = ${uint32(3)} AND ${otherSql}`. */
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

/** Verbatim SQL, such as a statement of a migration. A test lists the callers. */
export function rawSql(text: string): Sql {
  return { parts: [text] }
}

/** The clause of a table's rows, between its marks. A test lists the callers. */
export function marked(table: string, rowsOf: RowsOf, clause: (name: Sql) => Sql): Sql {
  return { parts: [...clause({ parts: [{ mark: 'table', table, rowsOf }] }).parts, { mark: 'end' }] }
}

/** An integer as a literal, for SQL that accepts no parameter. */
export function literalInteger(value: number): Sql {
  if (!Number.isSafeInteger(value)) throw new RangeError(`Invalid integer: ${value}`)
  return { parts: [String(value)] }
}

/** The items with the separator between them; nothing for no items. */
export function join(items: readonly Sql[], separator: Sql = sql`, `): Sql {
  return { parts: items.flatMap((item, i) => (i === 0 ? item.parts : [...separator.parts, ...item.parts])) }
}

/** A table or column from a registry in the code: accepts literal types only, so no `string` of unknown origin. */
export function ident<const Name extends string>(name: string extends Name ? never : Name): Sql {
  if (!/^[A-Za-z_]\w*(\.[A-Za-z_]\w*)*$/.test(name)) throw new TypeError(`Not an identifier: ${JSON.stringify(name)}`)
  return { parts: [name] }
}

/** Makes parameters of one scalar type from a checked input. */
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
/** UTC ms, cut to whole seconds. */
export const second = scalar("DateTime('UTC')", (ms: number) => instantText(ms).slice(0, 19))
/** UTC ms; bound as text, because clients lose the milliseconds of a `Date`. */
export const dateTime64 = scalar("DateTime64(3, 'UTC')", instantText)

/** An array parameter: array(uint32, [1, 2]) is bound as `Array(UInt32)`. */
export function array<Input>(item: Scalar<Input>, values: readonly Input[]): Parameter {
  return arrayOf(item, values, value => value)
}

/** An array parameter with one value of each item. */
export function arrayOf<Input, Item>(
  scalar: Scalar<Input>,
  items: readonly Item[],
  read: (item: Item) => Input,
): Parameter {
  return { type: `Array(${scalar.type})`, value: items.map(item => scalar.bind(read(item))) }
}

/** Pure: the same SQL is the same text and parameters. */
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
 * The text with the parameters as literals, cast as a bound parameter would be. For the embedded engine, whose binding runs
 * all queries with parameters of the whole process one after the other (chdb 3.4: parameters of parallel connections mix).
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

/** A database's name from configuration, quoted. */
export function databaseName(name: string): string {
  if (!/^\w+$/.test(name)) throw new TypeError(`Not a database name: ${JSON.stringify(name)}`)
  return `\`${name}\``
}

/** A string literal of ClickHouse. */
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
