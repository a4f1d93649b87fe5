import type { GraphQLSchema } from 'graphql'
import { type GraphqlLimits, mostTokens } from '../../ports/graphql-limits.ts'
import { problem } from '../compile/problem.ts'
import type { Shares } from '../../../shared/shares.ts'
import { type OperationRequest, OperationRefused, prepare, type Prepared, variablesText } from './prepare.ts'

/** A prepared operation with the variables of one request. */
export interface PreparedRequest {
  readonly prepared: Prepared
  /** The variables that it declares. */
  readonly variables: OperationRequest['variables']
  /** Equal for equal values of the variables. */
  readonly variablesText: string
  /** Says that the request is over. */
  readonly release: () => void
}

interface Shared {
  readonly prepared: Prepared
  /** Company that asked first: its bytes are counted. */
  readonly companyId: string
  users: number
}

/** Memory that a prepared operation takes for each character of its query, about. */
const bytesPerChar = 64
/** Most characters of a query that are not within long texts, about. */
const mostSyntaxChars = 4 * mostTokens

/** Prepares operations; those that are in use are prepared once, however many ask for them. */
export class Preparations {
  readonly #source: { readonly schema: GraphQLSchema }
  readonly #limits: GraphqlLimits
  readonly #bytes: Shares
  readonly #shared = new Map<string, Shared>()

  /** `bytes`: memory of the operations of all companies. */
  constructor(source: { readonly schema: GraphQLSchema }, limits: GraphqlLimits, bytes: Shares) {
    this.#source = source
    this.#limits = limits
    this.#bytes = bytes
  }

  /** Throws an `OperationRefused`. */
  take(companyId: string, request: OperationRequest): PreparedRequest {
    const id = JSON.stringify([request.operationName, request.query])
    const known = this.#shared.get(id)
    const prepared = known?.prepared ?? prepare(this.#source.schema, request, this.#limits)
    const text = variablesText(this.#source.schema, prepared, request.variables)
    const bytes = bytesOf(request)
    if (!known && !this.#bytes.take(companyId, bytes)) throw new OperationRefused([noRoom])
    const shared = known ?? { prepared, companyId, users: 0 }
    this.#shared.set(id, shared)
    shared.users++
    const release = () => {
      if (--shared.users > 0) return
      this.#shared.delete(id)
      this.#bytes.give(shared.companyId, bytes)
    }
    return { prepared, variables: declared(prepared, request.variables), variablesText: text, release }
  }
}

/** Refuses what would take more memory than the company's operations may. */
export const noRoom = problem('start-failed', 'The operations of the company take as much memory as they may')

function bytesOf({ query: { length } }: OperationRequest): number {
  return 2 * length + bytesPerChar * Math.min(length, mostSyntaxChars)
}

function declared({ operation }: Prepared, variables: OperationRequest['variables']) {
  const names = operation.variableDefinitions?.map(({ variable }) => variable.name.value) ?? []
  const given = names.filter(name => Object.hasOwn(variables, name))
  return Object.fromEntries(given.map(name => [name, variables[name]]))
}
