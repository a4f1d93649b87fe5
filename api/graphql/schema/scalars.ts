import { GraphQLError, GraphQLScalarType, Kind, type ValueNode } from 'graphql'
import { parseInstantMs } from '../../../shared/time/instant.ts'

/** Takes a value that a caller gave, from a variable or the text of the query; throws a `GraphQLError` where it is none. */
type Reader = (given: string | number) => string | number

const uuidForm = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i

/** Longest text of a number. */
const mostDigits = 40

const readers: Readonly<Record<string, readonly [description: string, read: Reader]>> = {
  uuid: [
    'A UUID, in any letter case',
    given => {
      const text = String(given)
      if (!uuidForm.test(text)) throw invalid('uuid', given)
      const digits = text.replaceAll('-', '').toLowerCase()
      return [
        digits.slice(0, 8),
        digits.slice(8, 12),
        digits.slice(12, 16),
        digits.slice(16, 20),
        digits.slice(20),
      ].join('-')
    },
  ],
  timestamptz: [
    'An instant as ISO 8601; UTC unless it has an offset. Given back as YYYY-MM-DDTHH:mm:ss.SSSZ',
    given => {
      const ms = parseInstantMs(String(given))
      if (ms === null) throw invalid('timestamptz', given)
      return ms
    },
  ],
  numeric: ['A number', given => numberOf('numeric', given)],
  bigint: [
    'A whole number of up to 53 bits',
    given => {
      const number = numberOf('bigint', given)
      if (!Number.isSafeInteger(number)) throw invalid('bigint', given)
      return number
    },
  ],
}

/** The scalars that GraphQL has not of itself, by name. Instants are read as UTC ms. */
export const customScalars: Readonly<Record<string, GraphQLScalarType>> = Object.fromEntries(
  Object.entries(readers).map(([name, [description, read]]) => [name, scalar(name, description, read)]),
)

function scalar(name: string, description: string, read: Reader): GraphQLScalarType {
  return new GraphQLScalarType({
    name,
    description,
    // Rows hold what is shown.
    serialize: value => value,
    parseValue: value => {
      if (typeof value === 'string' || typeof value === 'number') return read(value)
      throw invalid(name, value)
    },
    parseLiteral: node => read(literal(name, node)),
  })
}

function literal(name: string, node: ValueNode): string | number {
  if (node.kind === Kind.STRING) return node.value
  if (node.kind === Kind.INT || node.kind === Kind.FLOAT) return Number(node.value)
  throw invalid(name, node.kind)
}

function numberOf(type: string, given: string | number): number {
  const text = String(given).trim()
  const number = text === '' || text.length > mostDigits ? Number.NaN : Number(text)
  if (!Number.isFinite(number)) throw invalid(type, given)
  return number
}

function invalid(type: string, value: unknown): GraphQLError {
  const said = (JSON.stringify(value) ?? 'nothing').slice(0, 100)
  return new GraphQLError(`${said} is no value of type ${type}`, { extensions: { code: 'validation-failed' } })
}
