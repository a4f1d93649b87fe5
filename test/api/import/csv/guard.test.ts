import { assert } from 'chai'
import { csvGuard } from '../../../../api/import/csv/read-csv.ts'
import { ApiError } from '../../../../schema/errors.ts'

/** All that the parser skips before a cell: what `\s` matches, except the ends of rows. */
const spaces = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code)).filter(
  char => /\s/.test(char) && char !== '\n' && char !== '\r',
)

describe('the guard of CSV files', () => {
  for (const space of [...spaces, spaces.join('')])
    it(`An unclosed quote in a CSV file is found after ${JSON.stringify(space)} (${space.codePointAt(0)?.toString(16)})`, async () => {
      const line = `${'x'.repeat(400)}\n`
      const delimiter = space === '\t' ? ';' : ','
      for (const before of [`name\n${space}"`, `name\na${delimiter}${space}"`])
        assert.include(await failureOf(`${before}${line.repeat(3000)}`, delimiter), 'Row 2 is longer than')
    })

  it('A tab before a quote is a delimiter in a CSV file delimited by tabs', async () => {
    assert.include(await failureOf(`name\n\t"${'x\n'.repeat(600_000)}`, '\t'), 'Row 2 is longer than')
  })

  it('A CSV file with the maximum number of rows is accepted, and one more row is rejected', async () => {
    assert.equal(await failureOf(`name\n${'J2\n'.repeat(200_000)}`), '')
    assert.include(await failureOf(`name\n${'J2\n'.repeat(200_001)}`), 'more than 200000 rows')
  })

  it('A quote within a cell of a CSV file is accepted', async () => {
    assert.equal(await failureOf(`name\n${'a " b\n'.repeat(190_000)}`), '')
  })
})

/** Why the guard rejects a text; empty if it accepts the text. */
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
