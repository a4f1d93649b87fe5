// Prints the OEE of the last seven shop days by machine and shift.
//
//   node examples/oee-by-shift.mjs
const url = process.env.TAKT_URL ?? 'http://127.0.0.1:8080'
const key = process.env.TAKT_KEY
if (!key) throw new Error('Set TAKT_KEY')

const day = offset => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10)

const response = await fetch(`${url}/reports/production`, {
  method: 'POST',
  headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
  body: JSON.stringify({
    startDay: day(-6),
    endDay: day(0),
    data: [{ metric: 'oee' }, { metric: 'availability' }, { metric: 'performance' }, { metric: 'quality' }],
    groupBy: [{ group: 'machine' }, { group: 'shift' }],
    // One plain row for each machine and shift, names included.
    flatten: true,
  }),
})
const report = await response.json()
if (!response.ok) throw new Error(`${response.status}: ${JSON.stringify(report)}`)

const percent = rate => (rate === null ? '-' : `${(rate * 100).toFixed(1)} %`)
console.table(
  report.items.map(({ machine, shift, oee, availability, performance, quality }) => ({
    machine,
    shift,
    oee: percent(oee),
    availability: percent(availability),
    performance: percent(performance),
    quality: percent(quality),
  })),
)
