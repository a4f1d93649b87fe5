import type { Status } from '../../../schema/document.ts'
import type { MachineListItem } from '../../../schema/records/machine.ts'
import { notedSilenceMs } from '../../data/silence.ts'
import type { Locale } from '../../texts/locale.ts'
import { reasonOf } from '../connect/reason-of.ts'

/** Returns the text on the tile of an unavailable machine: no state, the reason, and the time of the last sample. */
export function whyUnavailable(
  machine: MachineListItem,
  status: Status,
  nowMs: number,
  { t, format }: Pick<Locale, 't' | 'format'>,
): string {
  const { lastSample, missing } = machine
  if (status !== 'UNAVAILABLE') return ''
  const silentMs = lastSample === null ? 0 : nowMs - Date.parse(lastSample)
  if (lastSample !== null && missing?.includes('state') === true) return t.source.noState
  const silence = silentMs > notedSilenceMs ? t.source.lastSample(format.duration(silentMs)) : ''
  const text = [reasonOf(machine, status, t), silence].filter(Boolean).join(' · ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}
