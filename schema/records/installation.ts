import { instant, int, nullable, number, object, type Of, recordOf, text, uuid } from '../types.ts'

/**
 * The installation that a log belongs to, written before anything else and told by every later version of the log. The store and the
 * data folder hold the same id.
 */
export const installation = object({
  /** Always `installation`: there is one. */
  id: text,
  /** UUID, drawn at the first start. */
  installationId: uuid,
  /** How the records of the log are written; another version of the service may not understand them. */
  format: int,
  createdAt: instant,
  /** When this log took the place of one that was lost; null: it is the first one. */
  adoptedAt: nullable(instant),
  /** Number that is added to the offset of a command in this log, as the commands of the lost log came before. */
  commandOffsetBase: int,
  /** The highest int that an earlier log gave out, by its kind. */
  highestRefs: recordOf(number),
})
export type InstallationRecord = Of<typeof installation>
