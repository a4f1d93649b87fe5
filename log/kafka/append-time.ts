import type { Admin, IResourceConfigEntry } from 'kafkajs'
import { loadKafkajs } from './kafkajs.ts'

const setting = 'message.timestamp.type'
const requiredValue = 'LogAppendTime'

/**
 * The user lacks the permission to read or change the settings of a topic. The message contains the command for an
 * administrator.
 */
export class TopicSettingError extends Error {
  override readonly name = 'TopicSettingError'
  readonly code = 'topic_setting'
  readonly retryable = false
}

/** Settings of a topic that concern the time of its records. */
export interface TimeSettings {
  /** Whether records get the time of the log, not that of their producer. */
  readonly isAppendTime: boolean
  /** All settings of the topic itself, because a change replaces them together. */
  readonly own: readonly IResourceConfigEntry[]
}

/** Reads the source of the timestamps of a topic. */
export async function readTimeSettings(admin: Admin, topic: string): Promise<TimeSettings> {
  const { ConfigResourceTypes, ConfigSource } = loadKafkajs()
  const resources = [{ type: ConfigResourceTypes.TOPIC, name: topic }]
  const { resources: found } = await admin.describeConfigs({ resources, includeSynonyms: false })
  const entries = found.flatMap(({ configEntries }) => configEntries)
  return {
    isAppendTime: entries.some(
      ({ configName, configValue }) => configName === setting && configValue === requiredValue,
    ),
    own: entries
      .filter(({ configSource }) => configSource === ConfigSource.TOPIC_CONFIG)
      .map(({ configName, configValue }) => ({ name: configName, value: configValue })),
  }
}

/** Sets the time of the log as timestamp of a topic's records; its other settings stay. */
export async function setAppendTime(admin: Admin, topic: string, { own }: TimeSettings): Promise<void> {
  const { ConfigResourceTypes } = loadKafkajs()
  const furtherSettings = own.filter(({ name }) => name !== setting)
  const configEntries = [...furtherSettings, { name: setting, value: requiredValue }]
  await admin.alterConfigs({
    validateOnly: false,
    resources: [{ type: ConfigResourceTypes.TOPIC, name: topic, configEntries }],
  })
}

/** Error for a topic whose records have timestamps of their producers. */
export function deniedChange(topic: string, brokers: readonly string[], cause: Error): TopicSettingError {
  return new TopicSettingError(
    `The records of the topic ${topic} have the time of their producer (${setting}=CreateTime), so that valid samples may be rejected. ` +
      `The user of Takt may not change that (${cause.message}).\nWhat to do: run ${changeCommand(topic, brokers)}`,
    { cause },
  )
}

/** Error for a topic whose settings the user may not read. */
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
  return `kafka-configs.sh --bootstrap-server ${brokers.join(',')} --alter --entity-type topics --entity-name ${topic} --add-config ${setting}=${requiredValue}`
}
