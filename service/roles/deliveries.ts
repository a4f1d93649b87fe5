import type { Processor } from '../../processors/partitions/processor.ts'
import { Deliverer } from '../../respond/deliver/deliverer.ts'
import { MessageSender } from '../../respond/deliver/message-sender.ts'
import { MailSender } from '../../respond/mail/mail-sender.ts'
import { topics } from '../../schema/topics.ts'
import { every } from '../../shared/async/every.ts'
import { WebhookAddresses } from '../../shared/webhook-addresses.ts'
import type { Config } from '../config.ts'
import { configureConnectors } from '../connectors.ts'
import type { ServiceContext } from '../context.ts'
import { readSecret } from '../secret-files.ts'
import type { Teardown } from '../teardown.ts'

/** Interval between checks for deliveries that are due with time, ms; new notices are sent immediately. */
const everyMs = 100

/**
 * Starts sending the deliveries of the targets whose partitions the processor owns. Returns the listener that is called
 * before partitions are released.
 */
export async function startDeliveries(
  context: ServiceContext,
  processor: Pick<Processor, 'fences'>,
  teardown: Teardown,
): Promise<(partitions: readonly number[]) => Promise<void>> {
  const { log, records, commands, clock, config, logger } = context
  const { connectorSecrets: secrets } = await configureConnectors(config)
  const sender = new MessageSender({
    records,
    mails: await createMailSender(config),
    webhookAddresses: new WebhookAddresses(config.TAKT_WEBHOOK_ALLOW),
    secrets,
    publicUrl: config.TAKT_PUBLIC_URL,
    clock,
  })
  const deliverer = new Deliverer({
    records,
    commands,
    sender,
    perMinute: config.TAKT_ALERTS_PER_MINUTE,
    clock,
    fences: () => processor.fences,
    partitions: await log.partitionCount(topics.stateSamples),
    logger,
  })
  const stopTimer = every(everyMs, () => deliverer.tick())
  teardown.add('deliveries', async () => {
    stopTimer()
    await deliverer.stop()
  })
  return partitions => deliverer.release(partitions)
}

async function createMailSender(config: Config): Promise<MailSender | null> {
  const { TAKT_SMTP_URL: url, TAKT_SMTP_FROM: from, TAKT_SMTP_PASSWORD_FILE: file } = config
  if (url === null) return null
  return new MailSender({ url, from, password: await readSecret('', file, 'TAKT_SMTP_PASSWORD_FILE') })
}
