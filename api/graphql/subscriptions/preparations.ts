import type { GraphQLSchema } from 'graphql'
import type { GraphqlLimits } from '../../ports/graphql-limits.ts'
import { type OperationRequest, prepare, type Prepared, variablesText } from './prepare.ts'

/** A prepared operation with the variables of one request. */
export interface Taken {
  readonly prepared: Prepared
  /** Equal for equal values of the variables. */
  readonly variablesText: string
  /** Says that the request is over. */
  readonly release: () => void
}

interface Shared {
  readonly prepared: Prepared
  users: number
}

/** Prepares operations; those that are in use are prepared once, however many ask for them. */
export class Preparations {
  readonly #source: { readonly schema: GraphQLSchema }
  readonly #limits: GraphqlLimits
  readonly #shared = new Map<string, Shared>()

  constructor(source: { readonly schema: GraphQLSchema }, limits: GraphqlLimits) {
    this.#source = source
    this.#limits = limits
  }

  /** Throws an `OperationRefused`. */
  take(request: OperationRequest): Taken {
    const id = JSON.stringify([request.operationName, request.query])
    const shared = this.#shared.get(id) ?? { prepared: prepare(this.#source.schema, request, this.#limits), users: 0 }
    const text = variablesText(this.#source.schema, shared.prepared, request.variables)
    this.#shared.set(id, shared)
    shared.users++
    const release = () => {
      if (--shared.users === 0) this.#shared.delete(id)
    }
    return { prepared: shared.prepared, variablesText: text, release }
  }
}
