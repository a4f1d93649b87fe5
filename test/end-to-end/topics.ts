import { topics } from '../../schema/topics.ts'
import { type Broker, kafkaClient } from '../support/kafka.ts'

/** Removes the topics of the service: another test, or another run on the same cluster, may have left records of another store. */
export async function removeTopics({ brokers }: Broker): Promise<void> {
  const admin = kafkaClient(brokers).admin()
  await admin.connect()
  try {
    const existing = await admin.listTopics()
    const ours = Object.values<string>(topics).filter(topic => existing.includes(topic))
    if (ours.length > 0) await admin.deleteTopics({ topics: ours, timeout: 60_000 })
  } finally {
    await admin.disconnect()
  }
}
