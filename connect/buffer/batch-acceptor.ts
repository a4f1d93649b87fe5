import type { Acceptor } from '../../ingest/accept/acceptor.ts'
import { ApiError } from '../../schema/errors.ts'
import type { CompanyRef } from '../../schema/refs.ts'
import type { WireSample } from '../../schema/topics.ts'
import { JsonOutOfBounds } from '../../shared/json/bounds.ts'
import type { ConnectorTotals } from '../source/totals.ts'

/** Limit of the example of a body that cannot be read. */
const maxExampleBytes = 200

export interface AcceptancePorts {
  readonly acceptor: Acceptor
  readonly companyRef: CompanyRef
  readonly totals: Pick<ConnectorTotals, 'samples' | 'rejected'>
  /** Called if samples cannot be accepted. */
  readonly onProblem: (message: string) => void
}

/** Appends the batches of one connector to the log. Samples that are not accepted are counted and skipped. */
export class BatchAcceptor {
  readonly #ports: AcceptancePorts

  constructor(ports: AcceptancePorts) {
    this.#ports = ports
  }

  /** Appends samples: their JSON, joined by commas. Rejects if the log is unavailable. */
  async acceptSamples(json: Buffer): Promise<void> {
    const body = Buffer.concat([Buffer.from('['), json, Buffer.from(']')])
    const error = await this.#append(body)
    if (error !== null) await this.#divide(body, error)
  }

  /** Appends a body of `POST /ingest/samples`. Rejects if the log is unavailable. */
  async acceptBody(body: Buffer): Promise<void> {
    const error = await this.#append(body)
    if (error === null) return
    const example = body.toString('utf8', 0, maxExampleBytes)
    this.#ports.onProblem(`A body of samples cannot be read: ${error.message}: ${example}`)
    this.#reject('invalid_body', 1)
  }

  /** Returns the error of a body that is not accepted as a whole; null: its samples are in the log. */
  async #append(body: Buffer): Promise<ApiError | JsonOutOfBounds | null> {
    const { acceptor, companyRef, totals } = this.#ports
    try {
      const { accepted, rejectedByCode } = await acceptor.accept({ companyRef, body, storesRejected: true })
      totals.samples += accepted
      for (const [reason, count] of Object.entries(rejectedByCode)) this.#reject(reason, count)
      return null
    } catch (error) {
      if (error instanceof ApiError || error instanceof JsonOutOfBounds) return error
      throw error
    }
  }

  /** Halves samples that are not accepted as a whole, such as a value above all limits, until each is sent separately. */
  async #divide(body: Buffer, error: Error): Promise<void> {
    const samples: readonly WireSample[] = JSON.parse(body.toString())
    if (samples.length === 1) {
      this.#ports.onProblem(error.message)
      return this.#reject('invalid_sample', 1)
    }
    const middle = samples.length >> 1
    for (const half of [samples.slice(0, middle), samples.slice(middle)])
      await this.acceptSamples(Buffer.from(JSON.stringify(half).slice(1, -1)))
  }

  #reject(reason: string, count: number): void {
    const { rejected } = this.#ports.totals
    rejected[reason] = (rejected[reason] ?? 0) + count
  }
}
