const none = '–'

/** Replaces the hyphen, which Intl writes in English and German, by the minus sign (U+2212). */
function withMinus(text: string): string {
  // A value that rounds to zero has no sign.
  return /[1-9]/.test(text) ? text.replace('-', '−') : text.replace('-', '')
}

type Value = number | null | undefined

/** Formats values by the conventions of a language; null is formatted as a dash. */
export interface Format {
  /** Whole number with separators. */
  count(value: Value): string
  /** Number with this number of decimals. */
  number(value: Value, digits: number): string
  /** A ratio as percent; 1 is 100 %. */
  percent(ratio: Value, digits?: number): string
  /** A duration in ms, with two units below 10,000 h: `3 h 05 min`, `42 s`, `12,312 h`. */
  duration(ms: Value): string
  /** A limit of durations, in ms, without zero seconds: `2 min`, `1 min 30 s`. */
  limit(ms: number): string
  /** A duration in ms without seconds: `3 h 05 min`, `12 min`, `< 1 min`, `0 min`. */
  minutes(ms: Value): string
  /** Hour and minute of an ISO instant or UTC ms. */
  clock(instant: string | number): string
  /** Date and time of an ISO instant, in the company's time zone. */
  dateTime(instant: string | number | null | undefined): string
  /** Date and time with seconds of an instant (UTC ms). */
  second(instantMs: number): string
  /** Both ends of a range (ISO instants or UTC ms), with their day once if it is the same. */
  range(from: string | number, to: string | number): string
  /** Date and time of an ISO instant as `YYYY-MM-DD HH:mm:ss`, in the company's time zone: for files. */
  sortable(instant: string): string
  /** `.` or `,`. */
  readonly decimalMark: string
  time(instant: string | number | null | undefined): string
  /** Weekday, day, hour and minute of an instant (UTC ms), without the year. */
  hour(instantMs: number): string
  /** A date `YYYY-MM-DD`, not converted to a time zone; a dash for an invalid date. */
  date(day: string): string
}

/** Creates the formats of a language (BCP 47) and of the company's time zone. */
export function createFormat(language: string, timeZone: string): Format {
  const counts = new Intl.NumberFormat(language, { maximumFractionDigits: 0 })
  const percents = [0, 1].map(
    digits =>
      new Intl.NumberFormat(language, {
        style: 'percent',
        minimumFractionDigits: digits,
        maximumFractionDigits: digits,
      }),
  )
  const dateTimes = new Intl.DateTimeFormat(language, { timeZone, dateStyle: 'medium', timeStyle: 'short' })
  const seconds = new Intl.DateTimeFormat(language, { timeZone, dateStyle: 'medium', timeStyle: 'medium' })
  // The conventions of Swedish are those of ISO 8601.
  const sortable = new Intl.DateTimeFormat('sv', { timeZone, dateStyle: 'short', timeStyle: 'medium' })
  const times = new Intl.DateTimeFormat(language, { timeZone, timeStyle: 'medium' })
  const clocks = new Intl.DateTimeFormat(language, { timeZone, timeStyle: 'short' })
  const hours = new Intl.DateTimeFormat(language, {
    timeZone,
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
  })
  const dates = new Intl.DateTimeFormat(language, { timeZone: 'UTC', dateStyle: 'medium' })
  const decimals = [0, 1, 2, 3].map(
    digits => new Intl.NumberFormat(language, { minimumFractionDigits: digits, maximumFractionDigits: digits }),
  )
  const isNumber = (value: Value): value is number => typeof value === 'number' && Number.isFinite(value)
  return {
    count: value => (isNumber(value) ? withMinus(counts.format(value)) : none),
    number: (value, digits) => (isNumber(value) ? withMinus((decimals[digits] ?? counts).format(value)) : none),
    percent: (ratio, digits = 1) => (isNumber(ratio) ? withMinus((percents[digits] ?? counts).format(ratio)) : none),
    minutes: ms => (isNumber(ms) ? minutes(ms, counts) : none),
    limit: ms => (ms > 0 && ms % 60_000 === 0 ? minutes(ms, counts) : duration(ms, counts)),
    clock: instant => clocks.format(new Date(instant)),
    duration: ms => (isNumber(ms) ? duration(ms, counts) : none),
    dateTime: instant => (instant ? dateTimes.format(new Date(instant)) : none),
    second: instantMs => seconds.format(instantMs),
    range: (from, to) => {
      const [start, end] = [new Date(from), new Date(to)]
      const isOneDay = sortable.format(start).slice(0, 10) === sortable.format(end).slice(0, 10)
      return `${dateTimes.format(start)} – ${(isOneDay ? clocks : dateTimes).format(end)}`
    },
    sortable: instant => sortable.format(new Date(instant)),
    decimalMark: (1.5).toLocaleString(language).includes(',') ? ',' : '.',
    time: instant => (instant ? times.format(new Date(instant)) : none),
    hour: instantMs => hours.format(instantMs),
    date: day => {
      const ms = Date.parse(`${day}T00:00:00Z`)
      return Number.isFinite(ms) ? dates.format(ms) : none
    },
  }
}

function duration(ms: number, counts: Intl.NumberFormat): string {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  const minutes = Math.floor(seconds / 60)
  const hours = Math.floor(minutes / 60)
  if (seconds < 60) return `${seconds} s`
  if (minutes < 60) return `${minutes} min ${two(seconds % 60)} s`
  // Hours at any length: days beside hours would be two units of one quantity.
  if (hours < 10_000) return `${counts.format(hours)} h ${two(minutes % 60)} min`
  return `${counts.format(ms / 3_600_000)} h`
}

function minutes(ms: number, counts: Intl.NumberFormat): string {
  if (ms === 0) return '0 min'
  if (ms < 60_000) return '< 1 min'
  return ms < 3_600_000 ? `${Math.floor(ms / 60_000)} min` : duration(ms, counts)
}

function two(number: number): string {
  return String(number).padStart(2, '0')
}
