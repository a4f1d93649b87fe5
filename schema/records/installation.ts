import * as t from '../types.ts'

/**
 * Installation to which a log belongs; it is the first record of every log. The store and the data folder contain the
 * same id.
 */
export const installation = t.object({
  /** Always `installation`: a log has one such record. */
  id: t.text,
  /** UUID, generated at the first start. */
  installationId: t.uuid,
  /** Version of the format of the log's topics; a service that does not support it does not start. */
  format: t.int,
  createdAt: t.instant,
  /** When this log replaced a lost log; null for the first log of the installation. */
  adoptedAt: t.nullable(t.instant),
  /** Number that is added to the offsets of commands in this log, so that they continue those of the lost log. */
  commandOffsetBase: t.int,
  /** Highest `ref` that an earlier log assigned, by kind. */
  highestRefs: t.recordOf(t.number),
})
export type InstallationRecord = t.Infer<typeof installation>
