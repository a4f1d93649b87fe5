import { readList, readOneOf, readOptionalInt, readOptionalUrl, setting, type Settings } from './setting.ts'

/** Maximum retention, days; dates of the store would overflow with more. */
const maxRetentionDays = 20_000

/** A process that was stopped for a shorter time continues from the log. */
const minRecordsRetentionDays = 7

function parseBrokers(text: string): readonly string[] {
  return readList(text).map((broker, index) => {
    const port = Number(/^[^\s:/@]+:(\d{1,5})$/.exec(broker)?.[1])
    if (port >= 1 && port <= 65_535) return broker
    // The message shows only plain names, because other texts may contain a password.
    const fault = /^[\w.-]+$/.test(broker) ? `${broker} has no port` : `broker ${index + 1} is not host:port`
    throw new Error(`${fault}; expected host:port separated by commas, such as kafka:9092`)
  })
}

/** Settings of the store and the log: addresses, credentials and retention. */
export const engineSettings = {
  CLICKHOUSE_URL: setting('ClickHouse server (http://host:8123); empty: the embedded engine.').parsed(
    '',
    readOptionalUrl,
  ),
  CLICKHOUSE_USER: setting('User of the server.').text('default'),
  CLICKHOUSE_PASSWORD: setting('Password of that user.').text(),
  CLICKHOUSE_PASSWORD_FILE: setting('File that contains the password, as an alternative.').optional(),
  CLICKHOUSE_TLS_CA_FILE: setting(
    'PEM file of the certificate authorities of the server (https://); empty: those of Node.',
  ).optional(),
  CLICKHOUSE_TLS_CERT_FILE: setting('PEM file of a client certificate, if the server requires one.').optional(),
  CLICKHOUSE_TLS_KEY_FILE: setting('PEM file of the private key of that certificate.').optional(),
  CLICKHOUSE_DATABASE: setting('Database; created if missing.').text('takt'),
  KAFKA_BROKERS: setting('Kafka brokers, host:port separated by commas; empty: the embedded log.').parsed(
    '',
    parseBrokers,
  ),
  KAFKA_TLS: setting('1: connections to the brokers are encrypted.').parsed('0', readOneOf('0', '1')),
  KAFKA_TLS_CA_FILE: setting(
    'PEM file of the certificate authorities of the brokers; empty: those of Node.',
  ).optional(),
  KAFKA_TLS_CERT_FILE: setting('PEM file of a client certificate, if the brokers require one.').optional(),
  KAFKA_TLS_KEY_FILE: setting('PEM file of the private key of that certificate.').optional(),
  KAFKA_SASL_MECHANISM: setting(
    'SASL mechanism of the brokers: plain, scram-sha-256 or scram-sha-512, in any letter case; empty: no authentication.',
  ).parsed('', text => readOneOf('', 'plain', 'scram-sha-256', 'scram-sha-512')(text.toLowerCase())),
  KAFKA_SASL_USERNAME: setting('User of the brokers.').text(),
  KAFKA_SASL_PASSWORD: setting('Password of that user at the brokers.').text(),
  KAFKA_SASL_PASSWORD_FILE: setting('File that contains the password, as an alternative.').optional(),
  TAKT_PARTITIONS: setting('Partitions of new topics of samples and state samples.').int(4, 1, 1024),
  TAKT_SAMPLES_RETENTION_HOURS: setting('Retention of samples and state samples in the log.').int(168, 1, 87_600),
  TAKT_DEAD_LETTERS_MAX_BYTES: setting(
    'Approximate size limit of dead letters in the log in bytes; the oldest are deleted first.',
  ).int(10_737_418_240, 1_048_576, 1_099_511_627_776),
  TAKT_RAW_SAMPLES_DAYS: setting(
    'Retention of samples without effect on states in the store; state samples are stored as long as the reports.',
  ).int(180, 1, maxRetentionDays),
  TAKT_RECORDS_RETENTION_DAYS: setting(
    'Retention of `records.v1` in the log, at least 7 days; empty: unlimited. Needs backups of the store, which then has the only complete copy of the records.',
  ).parsed('', readOptionalInt(minRecordsRetentionDays, maxRetentionDays)),
} satisfies Settings
