// Prints the machines that are down with an assigned reason, and their alarms.
//
//   node examples/open-downtime.mjs
const url = process.env.TAKT_URL ?? 'http://127.0.0.1:8080'
const key = process.env.TAKT_KEY
if (!key) throw new Error('Set TAKT_KEY')

const query = `query {
  machines(where: { annotations: { endAt: { _is_null: true } } }, order_by: { name: asc }) {
    name
    annotations(where: { endAt: { _is_null: true } }) { startAt note annotationType { name } }
    currentAlarms { nativeCode label }
  }
}`

const response = await fetch(`${url}/graphql`, {
  method: 'POST',
  headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
  body: JSON.stringify({ query }),
})
const { data, errors } = await response.json()
// GraphQL reports errors in the body, also with status 200.
if (errors) throw new Error(errors.map(({ message }) => message).join('\n'))

for (const { name, annotations, currentAlarms } of data.machines) {
  for (const { startAt, note, annotationType } of annotations)
    console.log(`${name}: ${annotationType.name} since ${startAt}${note ? ` (${note})` : ''}`)
  for (const { nativeCode, label } of currentAlarms) console.log(`  alarm ${nativeCode}: ${label}`)
}
