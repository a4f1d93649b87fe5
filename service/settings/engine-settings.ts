import { readText, readOptional, readOptionalUrl, readList, readInt, readOneOf, type Settings } from './setting.ts'

/** Beyond this the store's dates overflow. */
const mostRetentionDays = 20_000

function readBrokers(text: string): readonly string[] {
  return readList(text).map((broker, index) => {
    const port = Number(/^[^\s:/@]+:(\d{1,5})$/.exec(broker)?.[1])
    if (port >= 1 && port <= 65_535) return broker
    // Anything but a plain name may hold a password.
    const fault = /^[\w.-]+$/.test(broker) ? `${broker} has no port` : `broker ${index + 1} is not host:port`
    throw new Error(`${fault}; expected host:port separated by commas, such as kafka:9092`)
  })
}

/** Settings of the store and the log: where they are, how to sign in there, how long they keep what they have. */
export const engineSettings = {
  CLICKHOUSE_URL: {
    default: '',
    meaning: 'ClickHouse server (http://host:8123); empty: the embedded engine.',
    parse: readOptionalUrl,
  },
  CLICKHOUSE_USER: { default: 'default', meaning: 'User at the server.', parse: readText },
  CLICKHOUSE_PASSWORD: { default: '', meaning: 'Password at the server.', parse: readText },
  CLICKHOUSE_PASSWORD_FILE: {
    default: '',
    meaning: 'File that holds the password, in its place.',
    parse: readOptional,
  },
  CLICKHOUSE_TLS_CA_FILE: {
    default: '',
    meaning: 'PEM file of the authorities that the server (https://) is checked by; empty: those that Node knows.',
    parse: readOptional,
  },
  CLICKHOUSE_TLS_CERT_FILE: {
    default: '',
    meaning: 'PEM file of a client certificate, where the server asks for one.',
    parse: readOptional,
  },
  CLICKHOUSE_TLS_KEY_FILE: { default: '', meaning: 'PEM file of its private key.', parse: readOptional },
  CLICKHOUSE_DATABASE: { default: 'takt', meaning: 'Database; made when missing.', parse: readText },
  KAFKA_BROKERS: {
    default: '',
    meaning: 'Kafka brokers, host:port separated by commas; empty: the embedded log.',
    parse: readBrokers,
  },
  KAFKA_TLS: {
    default: '0',
    meaning: '1: connections to the brokers are encrypted.',
    parse: readOneOf('0', '1'),
  },
  KAFKA_TLS_CA_FILE: {
    default: '',
    meaning: 'PEM file of the authorities that the brokers are checked by; empty: those that Node knows.',
    parse: readOptional,
  },
  KAFKA_TLS_CERT_FILE: {
    default: '',
    meaning: 'PEM file of a client certificate, where the brokers ask for one.',
    parse: readOptional,
  },
  KAFKA_TLS_KEY_FILE: { default: '', meaning: 'PEM file of its private key.', parse: readOptional },
  KAFKA_SASL_MECHANISM: {
    default: '',
    meaning: 'How to sign in at the brokers: plain, scram-sha-256 or scram-sha-512, in any letter case; empty: not.',
    parse: text => readOneOf('', 'plain', 'scram-sha-256', 'scram-sha-512')(text.toLowerCase()),
  },
  KAFKA_SASL_USERNAME: { default: '', meaning: 'User at the brokers.', parse: readText },
  KAFKA_SASL_PASSWORD: { default: '', meaning: 'Password at the brokers.', parse: readText },
  KAFKA_SASL_PASSWORD_FILE: {
    default: '',
    meaning: 'File that holds the password, in its place.',
    parse: readOptional,
  },
  TAKT_PARTITIONS: {
    default: '4',
    meaning: 'Partitions of new topics of samples and state samples.',
    parse: readInt(1, 1024),
  },
  TAKT_SAMPLES_RETENTION_HOURS: {
    default: '168',
    meaning: 'How long the log keeps samples and state samples.',
    parse: readInt(1, 87_600),
  },
  TAKT_DEAD_LETTERS_MAX_BYTES: {
    default: '10737418240',
    meaning: 'Bytes of dead letters that the log keeps, about; the oldest go first.',
    parse: readInt(1_048_576, 1_099_511_627_776),
  },
  TAKT_RAW_SAMPLES_DAYS: {
    default: '180',
    meaning: 'How long the store keeps samples that decide no state; those that do are kept as long as the reports.',
    parse: readInt(1, mostRetentionDays),
  },
} as const satisfies Settings
