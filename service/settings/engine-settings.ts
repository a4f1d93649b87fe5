import { readText, readOptional, readOptionalUrl, readList, readInt, readOneOf, type Settings } from './setting.ts'

/** Maximum retention, days; dates of the store would overflow with more. */
const maxRetentionDays = 20_000

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
  CLICKHOUSE_URL: {
    default: '',
    meaning: 'ClickHouse server (http://host:8123); empty: the embedded engine.',
    parse: readOptionalUrl,
  },
  CLICKHOUSE_USER: { default: 'default', meaning: 'User of the server.', parse: readText },
  CLICKHOUSE_PASSWORD: { default: '', meaning: 'Password of that user.', parse: readText },
  CLICKHOUSE_PASSWORD_FILE: {
    default: '',
    meaning: 'File that contains the password, as an alternative.',
    parse: readOptional,
  },
  CLICKHOUSE_TLS_CA_FILE: {
    default: '',
    meaning: 'PEM file of the certificate authorities of the server (https://); empty: those of Node.',
    parse: readOptional,
  },
  CLICKHOUSE_TLS_CERT_FILE: {
    default: '',
    meaning: 'PEM file of a client certificate, if the server requires one.',
    parse: readOptional,
  },
  CLICKHOUSE_TLS_KEY_FILE: {
    default: '',
    meaning: 'PEM file of the private key of that certificate.',
    parse: readOptional,
  },
  CLICKHOUSE_DATABASE: { default: 'takt', meaning: 'Database; created if missing.', parse: readText },
  KAFKA_BROKERS: {
    default: '',
    meaning: 'Kafka brokers, host:port separated by commas; empty: the embedded log.',
    parse: parseBrokers,
  },
  KAFKA_TLS: {
    default: '0',
    meaning: '1: connections to the brokers are encrypted.',
    parse: readOneOf('0', '1'),
  },
  KAFKA_TLS_CA_FILE: {
    default: '',
    meaning: 'PEM file of the certificate authorities of the brokers; empty: those of Node.',
    parse: readOptional,
  },
  KAFKA_TLS_CERT_FILE: {
    default: '',
    meaning: 'PEM file of a client certificate, if the brokers require one.',
    parse: readOptional,
  },
  KAFKA_TLS_KEY_FILE: { default: '', meaning: 'PEM file of the private key of that certificate.', parse: readOptional },
  KAFKA_SASL_MECHANISM: {
    default: '',
    meaning:
      'SASL mechanism of the brokers: plain, scram-sha-256 or scram-sha-512, in any letter case; empty: no authentication.',
    parse: text => readOneOf('', 'plain', 'scram-sha-256', 'scram-sha-512')(text.toLowerCase()),
  },
  KAFKA_SASL_USERNAME: { default: '', meaning: 'User of the brokers.', parse: readText },
  KAFKA_SASL_PASSWORD: { default: '', meaning: 'Password of that user at the brokers.', parse: readText },
  KAFKA_SASL_PASSWORD_FILE: {
    default: '',
    meaning: 'File that contains the password, as an alternative.',
    parse: readOptional,
  },
  TAKT_PARTITIONS: {
    default: '4',
    meaning: 'Partitions of new topics of samples and state samples.',
    parse: readInt(1, 1024),
  },
  TAKT_SAMPLES_RETENTION_HOURS: {
    default: '168',
    meaning: 'Retention of samples and state samples in the log.',
    parse: readInt(1, 87_600),
  },
  TAKT_DEAD_LETTERS_MAX_BYTES: {
    default: '10737418240',
    meaning: 'Approximate size limit of dead letters in the log in bytes; the oldest are deleted first.',
    parse: readInt(1_048_576, 1_099_511_627_776),
  },
  TAKT_RAW_SAMPLES_DAYS: {
    default: '180',
    meaning:
      'Retention of samples without effect on states in the store; state samples are stored as long as the reports.',
    parse: readInt(1, maxRetentionDays),
  },
} as const satisfies Settings
