import { instant, int, nullable, number, object, type Infer, recordOf, text, uuid } from '../types.ts'

/**
 * Installation to which a log belongs; it is the first record of every log. The store and the data folder contain the
 * same id.
 */
export const installation = object({
  /** Always `installation`: a log has one such record. */
  id: text,
  /** UUID, generated at the first start. */
  installationId: uuid,
  /** Version of the format of the log's topics; a service that does not support it does not start. */
  format: int,
  createdAt: instant,
  /** When this log replaced a lost log; null for the first log of the installation. */
  adoptedAt: nullable(instant),
  /** Number that is added to the offsets of commands in this log, so that they continue those of the lost log. */
  commandOffsetBase: int,
  /** Highest `ref` that an earlier log assigned, by kind. */
  highestRefs: recordOf(number),
})
export type InstallationRecord = Infer<typeof installation>
