/** Data item of a device, with the names of the attributes of a probe document. */
export interface AgentItem {
  readonly id: string
  readonly name?: string
  readonly category: 'SAMPLE' | 'EVENT' | 'CONDITION'
  readonly type: string
  readonly subType?: string
  readonly discrete?: boolean
}

/** Device of an agent. */
export interface AgentDevice {
  readonly name: string
  readonly uuid: string
  readonly items: readonly AgentItem[]
  readonly description?: { readonly manufacturer: string; readonly model: string }
  /** Text of its `Device` element; by default one with all items in the device itself. */
  readonly xml?: string
}

/** Value of a data item, as an adapter reports it. */
export interface AgentObservation {
  readonly dataItemId: string
  /** ISO 8601. */
  readonly timestamp: string
  /** Value; of a condition its level. */
  readonly value: string
  /** Attributes of a condition, such as nativeCode. */
  readonly attributes?: Readonly<Record<string, string>>
  /** Message of a condition. */
  readonly message?: string
}

/** Observation in the buffer of an agent. */
export interface NumberedObservation extends AgentObservation {
  readonly sequence: number
}
