import kafkajs, { type Admin, type IResourceConfigEntry } from 'kafkajs'

// kafkajs is CommonJS: Node cannot import all of its exports by name.
const { ConfigResourceTypes, ConfigSource } = kafkajs

const setting = 'message.timestamp.type'
const wanted = 'LogAppendTime'

/** The log lacks the right to give a topic the setting that it needs. The message holds the command for an administrator. */
export class TopicSettingError extends Error {
  override readonly name = 'TopicSettingError'
  readonly code = 'topic_setting'
  readonly retryable = false
}

/** The settings of one topic, as far as they concern the time of its records. */
export interface TimeSettings {
  /** Whether records get the time of the log, not that of their producer. */
  readonly isAppendTime: boolean
  /** All settings of the topic itself: a change replaces them together. */
  readonly own: readonly IResourceConfigEntry[]
}

/** Reads how a topic dates its records. */
export async function readTimeSettings(admin: Admin, topic: string): Promise<TimeSettings> {
  const resources = [{ type: ConfigResourceTypes.TOPIC, name: topic }]
  const { resources: found } = await admin.describeConfigs({ resources, includeSynonyms: false })
  const entries = found.flatMap(({ configEntries }) => configEntries)
  return {
    isAppendTime: entries.some(({ configName, configValue }) => configName === setting && configValue === wanted),
    own: entries
      .filter(({ configSource }) => configSource === ConfigSource.TOPIC_CONFIG)
      .map(({ configName, configValue }) => ({ name: configName, value: configValue })),
  }
}

/** Gives the records of a topic the time of the log; its other settings stay. */
export async function setAppendTime(admin: Admin, topic: string, { own }: TimeSettings): Promise<void> {
  const others = own.filter(({ name }) => name !== setting)
  const configEntries = [...others, { name: setting, value: wanted }]
  await admin.alterConfigs({
    validateOnly: false,
    resources: [{ type: ConfigResourceTypes.TOPIC, name: topic, configEntries }],
  })
}

/** The error of a topic whose records are dated by their producers. */
export function deniedChange(topic: string, brokers: readonly string[], cause: Error): TopicSettingError {
  return new TopicSettingError(
    `The records of the topic ${topic} have the time of their producer (${setting}=CreateTime), by which good samples can be rejected. ` +
      `The user of Takt may not change that (${cause.message}).\nWhat to do: run ${changeCommand(topic, brokers)}`,
    { cause },
  )
}

/** The error of a topic whose settings the user may not read. */
export function deniedRead(topic: string, brokers: readonly string[], cause: Error): TopicSettingError {
  return new TopicSettingError(
    `The user of Takt may not read the settings of the topic ${topic} (${cause.message}), whose records must have the time of the log.\n` +
      `What to do:\n- Set it: ${changeCommand(topic, brokers)}\n` +
      `- Permit Takt to read it: kafka-acls.sh --bootstrap-server ${brokers.join(',')} --add --allow-principal User:<user of Takt> ` +
      `--operation DescribeConfigs --topic ${topic}`,
    { cause },
  )
}

function changeCommand(topic: string, brokers: readonly string[]): string {
  return `kafka-configs.sh --bootstrap-server ${brokers.join(',')} --alter --entity-type topics --entity-name ${topic} --add-config ${setting}=${wanted}`
}
