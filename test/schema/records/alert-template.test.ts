import { expect } from 'chai'
import { fillTemplate, findUnknownFields, templateFields } from '../../../schema/records/alert-template.ts'

describe('templates of alerts', () => {
  const values = { ...blank(), ruleName: 'Down {subject} $&', subject: 'Mill 3' }

  it('Fields are replaced once, and braces in values stay text', () => {
    expect(fillTemplate('{subject}: {ruleName}, {subject} {note}', values)).to.equal(
      'Mill 3: Down {subject} $&, Mill 3 {note}',
    )
  })

  it('Unknown fields are found', () => {
    expect(findUnknownFields('{subject} {note} {{state}} {__proto__} {constructor}')).to.deep.equal([
      'note',
      '__proto__',
      'constructor',
    ])
  })
})

function blank() {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- one value for each field
  return Object.fromEntries(templateFields.map(field => [field, ''])) as Record<(typeof templateFields)[number], string>
}
