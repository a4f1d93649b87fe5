import { v5 } from 'uuid'
import { compareTexts } from '../../shared/collections/compare-texts.ts'

/** Namespace of the ids; a change would repeat deliveries after an update. */
const namespace = '7d6f2f0e-5a7c-4f0c-9a0e-2f1b8f0c6d11'

/** The content of a delivery: the same content has the same id, also after a crash. */
export interface DeliveryContent {
  /** Ids of the incidents, with the number of their reopenings. */
  readonly incidents: readonly { readonly id: string; readonly reopened: number }[]
  readonly event: string
  /** From 1; 0: not of a step. Of a summary: number of earlier ones of the minute. */
  readonly step: number
  /** From 0. */
  readonly repeat: number
  readonly targetId: string
}

/** Returns the id of a delivery, independent of the order of its incidents. */
export function deliveryIdOf({ incidents, event, step, repeat, targetId }: DeliveryContent): string {
  const pairs = incidents.map(({ id, reopened }) => [id, reopened] as const)
  const sorted = pairs.toSorted(([a], [b]) => compareTexts(a, b))
  return v5(JSON.stringify([sorted, event, step, repeat, targetId]), namespace)
}
