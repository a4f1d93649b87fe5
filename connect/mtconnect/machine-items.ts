import type { DataItem, DataItemForm, Device } from '../../ingest/shdr/devices.ts'
import type { Category } from '../../schema/sample.ts'
import { ownCopy } from '../../shared/own-copy.ts'
import { typeOfElement } from './names.ts'
import type { StreamDevice, StreamObservation } from './observations.ts'

/** Limit of the entries of data sets that become samples of their own, per device. */
const maxExpanded = 50
/** Limit of the data items of a connector, with those that the agent no longer has: their keys are stored. */
export const maxItems = 20_000

/** Device of an agent whose samples belong to machines. */
export interface MachineSource {
  /** Uuid or name of the device. */
  readonly source: string
  readonly machineId: string
  /** Machines of the items below a path, by the path's name or id; the items of the device itself belong to all machines. */
  readonly paths?: Readonly<Record<string, string>>
  /** Keys `<key>.<entry>` of the entries of data sets and tables that become samples of their own. */
  readonly expand?: readonly string[]
  /** Added to each time of the device. */
  readonly timeOffsetMs?: number
}

/** Data item of an assigned device. */
export interface MachineItem {
  readonly id: string
  readonly machineIds: readonly string[]
  readonly key: string
  readonly type: string
  readonly subtype: string
  readonly category: Category
  readonly form: DataItemForm
  readonly isDiscrete: boolean
  /** Keys of the entries that become samples of their own, by entry. */
  readonly expanded: ReadonlyMap<string, string>
  readonly offsetUs: number
}

/** Key of a data item that was used: the item's id, the key, and the source of its device. */
export type UsedKey = readonly [id: string, key: string, source: string]

type Names = Pick<DataItem, 'id' | 'key' | 'type' | 'subtype' | 'category' | 'form' | 'isDiscrete' | 'path'>

/** The data items of the assigned devices, by device and id. A key that was used stays when the probe changes. */
export class MachineItems {
  readonly #sources: readonly MachineSource[]
  /** By id. */
  readonly #used = new Map<string, UsedKey>()
  /** Keys since the last call of `takeNewKeys`. */
  #newKeys: UsedKey[] = []
  /** Used keys with the source of their device. */
  readonly #taken = new Set<string>()
  /** By uuid or name of their device. */
  readonly #bySource = new Map<string, MachineSource>()
  #items = new Map<MachineSource, Map<string, MachineItem>>()
  #byId = new Map<string, MachineItem>()
  #ignored = 0

  constructor(sources: readonly MachineSource[], devices: readonly Device[], used: readonly UsedKey[]) {
    this.#sources = sources
    for (const source of sources) if (!this.#bySource.has(source.source)) this.#bySource.set(source.source, source)
    for (const entry of used) this.#use(entry)
    this.setDevices(devices)
  }

  /** Number of observations of items beyond the limit. */
  get ignored(): number {
    return this.#ignored
  }

  /** Keys of all items that the devices have or had. */
  get usedKeys(): readonly UsedKey[] {
    return [...this.#used.values()]
  }

  /** Returns the keys that were added since the last call. */
  takeNewKeys(): readonly UsedKey[] {
    const added = this.#newKeys
    this.#newKeys = []
    return added
  }

  /** Replaces the devices after the agent's probe document has changed. */
  setDevices(devices: readonly Device[]): void {
    this.#items = new Map(this.#sources.map(source => [source, new Map()]))
    this.#byId = new Map()
    for (const source of this.#sources) {
      const device = findDevice(devices, source.source)
      if (device === undefined || this.#sourceOf({ uuid: device.uuid ?? '', name: device.name }) !== source) continue
      for (const item of device.dataItems) if (this.#hasSpace(item.id)) this.#add(source, item)
    }
  }

  /** Returns the machines of an item; null: the devices do not have it. */
  machinesOf(id: string): readonly string[] | null {
    return this.#byId.get(id)?.machineIds ?? null
  }

  /** Whether the item belongs to an assigned device and its probe document does not have it. */
  isUnknown({ device, dataItemId }: StreamObservation): boolean {
    const source = this.#sourceOf(device)
    return source !== undefined && this.#items.get(source)?.has(dataItemId) !== true && this.#hasSpace(dataItemId)
  }

  /**
   * Returns the item of an observation, derived from the element if it is unknown; null: its device is not assigned, or
   * the item is beyond the limit.
   */
  find(observation: StreamObservation): MachineItem | null {
    const source = this.#sourceOf(observation.device)
    if (source === undefined) return null
    const known = this.#items.get(source)?.get(observation.dataItemId)
    if (known !== undefined) return known
    if (this.#hasSpace(observation.dataItemId)) return this.#add(source, derived(observation))
    this.#ignored++
    return null
  }

  #sourceOf({ uuid, name }: StreamDevice): MachineSource | undefined {
    return this.#bySource.get(uuid) ?? this.#bySource.get(name)
  }

  #hasSpace(id: string): boolean {
    return this.#used.size < maxItems || this.#used.has(id)
  }

  #add(source: MachineSource, item: Names): MachineItem {
    const { category, form } = item
    const id = ownCopy(item.id)
    const key = this.#keyOf(source, id, ownCopy(item.key))
    const added: MachineItem = {
      id,
      machineIds: machinesOf(source, item),
      key,
      type: ownCopy(item.type),
      subtype: ownCopy(item.subtype),
      category,
      form,
      isDiscrete: item.isDiscrete === true,
      expanded: expandedOf(source, key),
      offsetUs: (source.timeOffsetMs ?? 0) * 1000,
    }
    this.#items.get(source)?.set(id, added)
    this.#byId.set(id, added)
    return added
  }

  #keyOf({ source }: MachineSource, id: string, key: string): string {
    const used = this.#used.get(id)
    if (used !== undefined) return used[1]
    const own = this.#taken.has(takenName(key, source)) ? id : key
    const entry: UsedKey = [id, own, source]
    this.#use(entry)
    this.#newKeys.push(entry)
    return own
  }

  #use(entry: UsedKey): void {
    const [id, key, source] = entry
    this.#used.set(id, entry)
    this.#taken.add(takenName(key, source))
  }
}

function takenName(key: string, source: string): string {
  return JSON.stringify([key, source])
}

/** Returns the device of a uuid or name; a uuid has priority. */
export function findDevice(devices: readonly Device[], source: string): Device | undefined {
  return devices.find(({ uuid }) => uuid === source) ?? devices.find(({ name }) => name === source)
}

/** Returns all machines of a device; one may occur several times. */
export function machinesOfSource({ machineId, paths = {} }: MachineSource): readonly string[] {
  return [machineId, ...Object.values(paths)]
}

function machinesOf({ machineId, paths = {} }: MachineSource, { path }: Names): readonly string[] {
  const byPath = new Map(Object.entries(paths))
  if (path === null) return [...new Set([machineId, ...byPath.values()])]
  return [byPath.get(path.name) ?? byPath.get(path.id) ?? machineId]
}

/** Shared by the items, of which an agent may have thousands. */
const noEntries: ReadonlyMap<string, string> = new Map()

function expandedOf({ expand = [] }: MachineSource, key: string): ReadonlyMap<string, string> {
  const names = expand.slice(0, maxExpanded).filter(name => name.startsWith(`${key}.`))
  return names.length === 0 ? noEntries : new Map(names.map(name => [name.slice(key.length + 1), name]))
}

const suffixes: readonly (readonly [suffix: string, form: DataItemForm])[] = [
  ['DataSet', 'dataSet'],
  ['Table', 'table'],
  ['TimeSeries', 'timeSeries'],
]

function derived(observation: StreamObservation): Names {
  const { dataItemId: id, name, element, category, statistic, subType: subtype } = observation
  const key = name === '' ? id : name
  const names = { id, key: statistic === '' ? key : `${key}.${statistic}`, subtype, category, path: null }
  if (category === 'CONDITION') return { ...names, type: observation.type, form: 'condition' }
  const [suffix, form] = suffixes.find(([end]) => element.endsWith(end)) ?? ['', 'value']
  const type = typeOfElement(suffix === '' ? element : element.slice(0, -suffix.length))
  const isDiscrete = element.endsWith('Discrete')
  return {
    ...names,
    type: isDiscrete ? type.replace(/_DISCRETE$/, '') : type,
    form: type === 'MESSAGE' ? 'message' : form,
    isDiscrete,
  }
}
