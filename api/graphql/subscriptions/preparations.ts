import type { GraphQLSchema } from 'graphql'
import { type GraphqlLimits, maxQueryTokens } from '../../ports/graphql-limits.ts'
import { problem } from '../compile/problem.ts'
import type { Shares } from '../../../shared/shares.ts'
import { type OperationRequest, OperationRejected, prepare, type Prepared, variablesText } from './prepare.ts'

/** A prepared operation with the variables of one request. */
export interface PreparedRequest {
  readonly prepared: Prepared
  /** The values of the variables that it declares. */
  readonly variables: OperationRequest['variables']
  /** Canonical text of the variables: equal for equal values. */
  readonly variablesText: string
  /** Ends the use of the prepared operation. */
  readonly release: () => void
}

interface Shared {
  readonly prepared: Prepared
  /** Company of the first request; its memory share is charged. */
  readonly companyId: string
  users: number
}

/** Approximate memory of a prepared operation per character of its query. */
const bytesPerChar = 64
/** Approximate maximum length of a query without long strings. */
const maxSyntaxChars = 4 * maxQueryTokens

/** Prepares operations. Requests that use an equal operation at the same time share it. */
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

  /** Throws an `OperationRejected`. */
  acquire(companyId: string, request: OperationRequest): PreparedRequest {
    const id = JSON.stringify([request.operationName, request.query])
    const known = this.#shared.get(id)
    const prepared = known?.prepared ?? prepare(this.#source.schema, request, this.#limits)
    const text = variablesText(this.#source.schema, prepared, request.variables)
    const bytes = bytesOf(request)
    if (!known && !this.#bytes.reserve(companyId, bytes)) throw new OperationRejected([outOfMemory])
    const shared = known ?? { prepared, companyId, users: 0 }
    this.#shared.set(id, shared)
    shared.users++
    const release = () => {
      if (--shared.users > 0) return
      this.#shared.delete(id)
      this.#bytes.release(shared.companyId, bytes)
    }
    return { prepared, variables: declared(prepared, request.variables), variablesText: text, release }
  }
}

/** The error if the prepared operations of the company would exceed their memory. */
export const outOfMemory = problem('start-failed', 'Operations of this company have reached their memory limit')

function bytesOf({ query: { length } }: OperationRequest): number {
  return 2 * length + bytesPerChar * Math.min(length, maxSyntaxChars)
}

function declared({ operation }: Prepared, variables: OperationRequest['variables']) {
  const names = operation.variableDefinitions?.map(({ variable }) => variable.name.value) ?? []
  const present = names.filter(name => Object.hasOwn(variables, name))
  return Object.fromEntries(present.map(name => [name, variables[name]]))
}
