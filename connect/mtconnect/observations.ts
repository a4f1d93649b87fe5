import type { Category } from '../../schema/sample.ts'
import { sortInSteps } from '../../shared/async/sort-in-steps.ts'
import type { Steps } from '../../shared/async/steps.ts'
import type { XmlHandler } from '../../shared/xml/scan-xml.ts'
import { DocumentError } from './document-error.ts'
import { attributeOf } from './names.ts'
import { compareSequences, parseSequence, type Sequence } from './sequence.ts'

/** Device of a `DeviceStream`. */
export interface StreamDevice {
  readonly name: string
  readonly uuid: string
}

/** Entry of a data set, row of a table, or cell of a row. */
export interface StreamEntry {
  readonly key: string
  readonly isRemoved: boolean
  readonly value: string
  /** Cells of a row; null: the entry has none. */
  readonly cells: readonly StreamEntry[] | null
}

/** Observation of a streams document. Attributes that it lacks are ''. */
export interface StreamObservation {
  readonly device: StreamDevice
  readonly category: Category
  /** Name of the element without the document's prefix: `PathFeedrate`, `x:Fault`; of a condition its level. */
  readonly element: string
  readonly dataItemId: string
  readonly sequence: Sequence
  readonly timestamp: string
  readonly name: string
  readonly type: string
  readonly subType: string
  readonly statistic: string
  readonly nativeCode: string
  readonly nativeSeverity: string
  readonly conditionId: string
  readonly qualifier: string
  readonly resetTriggered: string
  /** Severity and state of an ALARM, of MTConnect 1.0. */
  readonly severity: string
  readonly state: string
  /** Text without outer blanks. */
  readonly text: string
  readonly entries: readonly StreamEntry[]
}

/** Limit of the observations, entries and cells of a document. */
const maxElements = 500_000

type Writable<T> = { -readonly [Field in keyof T]: T[Field] }

const noEntries: readonly StreamEntry[] = []
const categories: ReadonlyMap<string, Category> = new Map([
  ['Samples', 'SAMPLE'],
  ['Events', 'EVENT'],
  ['Condition', 'CONDITION'],
  ['Conditions', 'CONDITION'],
])

/** Reads the observations of a streams document: each element with `dataItemId` and `sequence`. */
export class ObservationReader implements XmlHandler {
  readonly #observations: StreamObservation[] = []
  #isSorted = true
  #elements = 0
  #device: StreamDevice = { name: '', uuid: '' }
  #category: Category = 'EVENT'
  /** The open observation, and the number of its open elements. */
  #observation: Writable<StreamObservation> | null = null
  #depth = 0
  #entries: StreamEntry[] = []
  #cells: StreamEntry[] = []
  /** Attributes of the open entry and cell. */
  #key = ''
  #isRemoved = false
  #cellKey = ''
  /** Text since the last start tag of an observation, entry or cell. */
  #text = ''

  open(name: string, attributes: readonly string[]): void {
    if (this.#observation !== null) this.#openEntry(name, attributes)
    else this.#openElement(name, attributes)
  }

  /** Returns the observations, sorted by sequence: a document groups them by component and category. */
  *sorted(): Steps<readonly StreamObservation[]> {
    if (this.#isSorted) return this.#observations
    return yield* sortInSteps(this.#observations, (a, b) => compareSequences(a.sequence, b.sequence))
  }

  #openElement(name: string, attributes: readonly string[]): void {
    const category = categories.get(name)
    if (category !== undefined) this.#category = category
    else if (name === 'DeviceStream')
      this.#device = { name: attributeOf(attributes, 'name'), uuid: attributeOf(attributes, 'uuid') }
    else this.#openObservation(name, attributes)
  }

  #openObservation(element: string, attributes: readonly string[]): void {
    const sequence = parseSequence(attributeOf(attributes, 'sequence'))
    if (sequence === null) return
    const observation = newObservation(this.#device, this.#category, element, sequence)
    for (let i = 0; i < attributes.length; i += 2)
      setAttribute(observation, attributes[i] ?? '', attributes[i + 1] ?? '')
    if (observation.dataItemId === '') return
    this.#count()
    const last = this.#observations.at(-1)
    if (last !== undefined && last.sequence > sequence) this.#isSorted = false
    this.#observations.push(observation)
    this.#observation = observation
    this.#depth = 1
    this.#text = ''
  }

  #openEntry(name: string, attributes: readonly string[]): void {
    this.#depth++
    if (name !== 'Entry' && name !== 'Cell') return
    this.#count()
    this.#text = ''
    if (name === 'Cell') this.#cellKey = attributeOf(attributes, 'key')
    else {
      this.#key = attributeOf(attributes, 'key')
      this.#isRemoved = /^(?:true|1)$/.test(attributeOf(attributes, 'removed'))
      this.#cells = []
    }
  }

  text(text: string): void {
    if (this.#observation !== null) this.#text += text
  }

  close(name: string): void {
    if (this.#observation === null) return
    this.#depth--
    if (this.#depth === 0) this.#closeObservation(this.#observation)
    else if (name === 'Cell') this.#cells.push(newEntry(this.#cellKey, false, this.#text.trim(), null))
    else if (name === 'Entry') {
      const cells = this.#cells.length > 0 ? this.#cells : null
      this.#entries.push(newEntry(this.#key, this.#isRemoved, cells === null ? this.#text.trim() : '', cells))
      this.#text = ''
    }
  }

  #closeObservation(observation: Writable<StreamObservation>): void {
    observation.text = this.#text.trim()
    if (this.#entries.length > 0) observation.entries = this.#entries
    this.#entries = []
    this.#observation = null
  }

  #count(): void {
    this.#elements++
    if (this.#elements > maxElements)
      throw new DocumentError(`The document has more than ${maxElements} observations and entries`)
  }
}

function newEntry(key: string, isRemoved: boolean, value: string, cells: readonly StreamEntry[] | null): StreamEntry {
  return { key, isRemoved, value, cells }
}

function newObservation(
  device: StreamDevice,
  category: Category,
  element: string,
  sequence: Sequence,
): Writable<StreamObservation> {
  return {
    device,
    category,
    element,
    dataItemId: '',
    sequence,
    timestamp: '',
    name: '',
    type: '',
    subType: '',
    statistic: '',
    nativeCode: '',
    nativeSeverity: '',
    conditionId: '',
    qualifier: '',
    resetTriggered: '',
    severity: '',
    state: '',
    text: '',
    entries: noEntries,
  }
}

function setAttribute(observation: Writable<StreamObservation>, name: string, value: string): void {
  switch (name) {
    case 'dataItemId':
    case 'timestamp':
    case 'name':
    case 'type':
    case 'subType':
    case 'statistic':
    case 'nativeCode':
    case 'nativeSeverity':
    case 'conditionId':
    case 'qualifier':
    case 'resetTriggered':
    case 'severity':
    case 'state':
      observation[name] = value
      break
    default:
  }
}
