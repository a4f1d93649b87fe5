import type { DataSets } from '../../ingest/shdr/data-set.ts'
import { isUnavailable } from '../../ingest/shdr/words.ts'
import { unavailableValue } from '../../processors/timeline/values.ts'
import type { WireSample } from '../../schema/topics.ts'
import { changeCondition, type ConditionChange } from './conditions.ts'
import { entriesOf, expandedValues } from './entries.ts'
import type { ItemState } from './item-state.ts'
import type { MachineItem } from './machine-items.ts'
import type { StreamObservation } from './observations.ts'

/** Fields of a sample that are the same for all machines. */
export interface Content {
  readonly key: string
  readonly value: string
  readonly details?: Partial<Pick<WireSample, 'nativeCode' | 'nativeSeverity' | 'qualifier' | 'message'>>
  readonly isNumbered?: boolean
}

/** Value of an item without a state; null: its form needs one. */
export function plainValue({ form }: MachineItem, { text }: StreamObservation): string | null {
  return form === 'value' ? text : form === 'timeSeries' ? lastValue(text) : null
}

/**
 * Returns the contents of the samples of an observation, and changes the active conditions of the state and the entries
 * in `sets` by it. `isFull`: the entries of a data set are all its entries. The first content of a data set is its value.
 */
export function contentsOf(
  item: MachineItem,
  { active }: Pick<ItemState, 'active'>,
  observation: StreamObservation,
  isFull: boolean,
  sets: DataSets,
): readonly Content[] {
  const { text, nativeCode, severity, state: alarmState } = observation
  const content = { key: item.key, value: text, isNumbered: true }
  switch (item.form) {
    case 'value':
    case 'asset':
      return [content]
    case 'condition':
      return changeCondition(active, observation).map(toContent(item.key))
    case 'message':
      return [{ ...content, details: { nativeCode } }]
    case 'alarm':
      return [{ ...content, details: { nativeCode, nativeSeverity: severity, qualifier: alarmState } }]
    case 'timeSeries':
      return [{ ...content, value: lastValue(text) }]
    case 'dataSet':
    case 'table':
      return changeSet(item, observation, isFull, sets)
    default:
      return item.form satisfies never
  }
}

/** Returns a function that converts the changes of an item's conditions. */
export function toContent(key: string): (change: ConditionChange) => Content {
  return ({ value, nativeCode, nativeSeverity, qualifier, message, isNumbered }) => ({
    key,
    value,
    details: { nativeCode, nativeSeverity, qualifier, message },
    isNumbered,
  })
}

function changeSet(
  item: MachineItem,
  observation: StreamObservation,
  isFull: boolean,
  sets: DataSets,
): readonly Content[] {
  if (isUnavailable(observation.text)) {
    sets.empty(item.id)
    return [item.key, ...item.expanded.values()].map(key => ({ key, value: unavailableValue, isNumbered: true }))
  }
  const isReset = isFull || observation.resetTriggered !== ''
  const changes = entriesOf(observation)
  const before = sets.entriesOf(item.id)
  const ended = isReset ? [...(before?.keys() ?? [])].filter(key => !changes.has(key)) : []
  const value = sets.apply(item.id, changes, isReset)
  const entries = [...changes, ...ended.map(key => [key, null] as const)]
  const contents = [{ key: item.key, value }, ...expandedValues(item, new Map(entries))]
  return contents.map(one => ({ key: one.key, value: one.value, isNumbered: true }))
}

function lastValue(text: string): string {
  return text.split(/\s+/).at(-1) ?? ''
}
