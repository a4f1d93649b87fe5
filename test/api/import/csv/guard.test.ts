import { assert } from 'chai'
import { csvGuard } from '../../../../api/import/csv/guard.ts'
import { ApiError } from '../../../../schema/errors.ts'

/** All that the parser passes over before a cell: what `\s` matches, but for the ends of rows. */
const spaces = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code)).filter(
  char => /\s/.test(char) && char !== '\n' && char !== '\r',
)

describe('the guard of CSV files', () => {
  for (const space of [...spaces, spaces.join('')])
    it(`sees a quote that is never closed behind ${JSON.stringify(space)} (${space.codePointAt(0)?.toString(16)})`, async () => {
      const line = `${'x'.repeat(400)}\n`
      const delimiter = space === '\t' ? ';' : ','
      for (const before of [`name\n${space}"`, `name\na${delimiter}${space}"`])
        assert.include(await failureOf(`${before}${line.repeat(3000)}`, delimiter), 'Row 2 is longer than')
    })

  it('takes a tab for what it is where it parts cells', async () => {
    assert.include(await failureOf(`name\n\t"${'x\n'.repeat(600_000)}`, '\t'), 'Row 2 is longer than')
  })

  it('lets as many rows through as are taken, whose last one has an end too', async () => {
    assert.equal(await failureOf(`name\n${'J2\n'.repeat(200_000)}`), '')
    assert.include(await failureOf(`name\n${'J2\n'.repeat(200_001)}`), 'more than 200000 rows')
  })

  it('lets quotes within a cell be', async () => {
    assert.equal(await failureOf(`name\n${'a " b\n'.repeat(190_000)}`), '')
  })
})

/** Why the guard refuses a text; empty where it lets it through. */
async function failureOf(text: string, delimiter = ','): Promise<string> {
  const guard = csvGuard({ delimiter, encoding: 'utf-8' })
  guard.end(text)
  try {
    for await (const _ of guard.resume());
    return ''
  } catch (error) {
    return error instanceof ApiError
      ? [error.message, ...error.errors.map(each => each.message)].join(': ')
      : String(error)
  }
}
