import { GraphQLError, GraphQLScalarType, Kind, print, type ValueNode } from 'graphql'
import { parseInstantMs } from '../../../shared/time/instant.ts'

/** Parses the value of a variable or of a literal in the query; returns null if it is invalid. */
type Reader = (value: string | number) => string | number | null

const uuidForm = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i

/** Maximum number of characters of a number. */
const maxDigits = 40

const readers: Readonly<Record<string, readonly [description: string, read: Reader]>> = {
  uuid: [
    'A UUID, in any letter case',
    value => {
      const text = String(value)
      if (!uuidForm.test(text)) return null
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
    'An instant as ISO 8601; UTC unless it has an offset. Returned as YYYY-MM-DDTHH:mm:ss.SSSZ',
    value => parseInstantMs(String(value)),
  ],
  numeric: ['A number', parseNumber],
  bigint: [
    'A whole number of up to 53 bits',
    value => {
      const number = parseNumber(value)
      return Number.isSafeInteger(number) ? number : null
    },
  ],
}

/** The custom scalars of the schema, by name. Instants are parsed to UTC ms. */
export const customScalars: Readonly<Record<string, GraphQLScalarType>> = Object.fromEntries(
  Object.entries(readers).map(([name, [description, read]]) => [name, scalar(name, description, read)]),
)

function scalar(name: string, description: string, read: Reader): GraphQLScalarType {
  return new GraphQLScalarType({
    name,
    description,
    // The rows already contain the value in the form of the response.
    serialize: value => value,
    parseValue: input => {
      const value = typeof input === 'string' || typeof input === 'number' ? read(input) : null
      if (value === null) throw invalid(name, JSON.stringify(input) ?? 'nothing')
      return value
    },
    parseLiteral: node => {
      const input = literal(node)
      const value = input === null ? null : read(input)
      if (value === null) throw invalid(name, print(node), node)
      return value
    },
  })
}

/** The value of a string or number literal; null for any other literal. */
function literal(node: ValueNode): string | number | null {
  if (node.kind === Kind.STRING) return node.value
  return node.kind === Kind.INT || node.kind === Kind.FLOAT ? Number(node.value) : null
}

function parseNumber(value: string | number): number | null {
  const text = String(value).trim()
  const number = text === '' || text.length > maxDigits ? Number.NaN : Number(text)
  return Number.isFinite(number) ? number : null
}

function invalid(type: string, text: string, node?: ValueNode): GraphQLError {
  const extensions = { code: 'validation-failed' }
  return new GraphQLError(`Invalid ${type}: ${text.slice(0, 100)}`, { nodes: node ?? null, extensions })
}
