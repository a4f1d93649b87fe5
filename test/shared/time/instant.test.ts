import { expect } from 'chai'
import * as fc from 'fast-check'
import { isInstant, parseInstantUs, toInstant } from '../../../shared/time/instant.ts'

const us = (iso: string) => Date.parse(iso) * 1000

describe('parseInstantUs', () => {
  it('Timestamps are parsed as by JavaScript, at any instant and with any offset', () => {
    const instants = fc.date({ min: new Date('0001-01-02'), max: new Date('9999-12-30'), noInvalidDate: true })
    fc.assert(
      fc.property(instants, fc.integer({ min: -1439, max: 1439 }), (date, offset) => {
        expect(parseInstantUs(date.toISOString())).to.equal(date.getTime() * 1000)
        const local = new Date(date.getTime() + offset * 60_000).toISOString().slice(0, -1)
        const size = Math.abs(offset)
        const hours = String(Math.floor(size / 60)).padStart(2, '0')
        const minutes = String(size % 60).padStart(2, '0')
        const sign = offset < 0 ? '-' : '+'
        expect(parseInstantUs(`${local}${sign}${hours}:${minutes}`)).to.equal(date.getTime() * 1000)
        expect(parseInstantUs(`${local}${sign}${hours}${minutes}`)).to.equal(date.getTime() * 1000)
      }),
    )
  })

  it('Timestamps keep six digits of a fraction and truncate the rest', () => {
    const second = us('2016-10-24T08:44:54Z')
    expect(parseInstantUs('2016-10-24T08:44:54.4Z')).to.equal(second + 400_000)
    expect(parseInstantUs('2016-10-24T08:44:54.438772Z')).to.equal(second + 438_772)
    expect(parseInstantUs('2016-10-24T08:44:54.4387729Z')).to.equal(second + 438_772)
    expect(parseInstantUs('2016-10-24T08:44:54.99999999999999999999Z')).to.equal(second + 999_999)
    expect(parseInstantUs('2016-10-24T08:44:54.4387729+00:00')).to.equal(second + 438_772)
  })

  it('Timestamps without an offset are UTC', () => {
    expect(parseInstantUs('2016-10-24T08:44:54.5')).to.equal(us('2016-10-24T08:44:54.5Z'))
  })

  it('Timestamps can have other forms of ISO 8601', () => {
    const expected = us('2016-10-24T08:44:00Z')
    const forms = [
      '2016-10-24T08:44Z',
      '20161024T084400Z',
      '2016-10-24t10:44:00+02',
      '2016-10-24T08:44:00,000z',
      '2016-10-24 08:44Z',
      '2016-10-24 10:44:00.000+02:00',
    ]
    for (const form of forms) expect(parseInstantUs(form), form).to.equal(expected)
    expect(parseInstantUs('2016-10-24T24:00:00Z')).to.equal(us('2016-10-25T00:00:00Z'))
    expect(parseInstantUs('1969-12-31T23:59:59.999999Z')).to.equal(-1)
  })

  it('A leap second is in the last millisecond of its minute, in order', () => {
    const last = us('2016-12-31T23:59:59.999Z')
    expect(parseInstantUs('2016-12-31T23:59:60Z')).to.equal(last)
    expect(parseInstantUs('2016-12-31 23:59:60')).to.equal(last)
    expect(parseInstantUs('20161231T235960Z')).to.equal(last)
    expect(parseInstantUs('2017-01-01T05:29:60.5+05:30')).to.equal(last + 500)
    expect(parseInstantUs('2016-12-31T23:59:60.999999Z')).to.equal(last + 999)
    expect(toInstant('2016-12-31T23:59:60.7Z')).to.equal('2016-12-31T23:59:59.999Z')
    expect(isInstant('9999-12-31T23:59:60Z')).to.equal(true)
  })

  it('parseInstantUs returns null for invalid dates, times and texts', () => {
    const wrong = [
      '2023-02-29T00:00:00Z',
      '2024-02-30T00:00:00Z',
      '1900-02-29T00:00:00Z',
      '2024-04-31T00:00:00Z',
      '2024-00-10T00:00:00Z',
      '2024-13-10T00:00:00Z',
      '2024-01-00T00:00:00Z',
      '2024-01-01T24:00:01Z',
      '2024-01-01T25:00:00Z',
      '2024-01-01T00:60:00Z',
      '2024-01-01T00:00:61Z',
      '2024-01-01T24:00:60Z',
      '2024-01-01T00:00:00+02:00:60',
      '2024-01-01T00:00:00.Z',
      '2024-01-01T00:00:00.12x4567Z',
      '2024-01-01T00:00:00.1234567xZ',
      '2024-01-01T00:00:00+24:00',
      '2024-01-01T00:00:00+02:60',
      '2024-01-01',
      '2024-01-01  00:00:00Z',
      '2024-0101T00:00:00Z',
      '١٩٧٠-01-01T00:00:00Z',
      '1706745600000',
      'now',
      '',
    ]
    for (const text of wrong) expect(parseInstantUs(text), text).to.equal(null)
  })

  it('parseInstantUs never throws, whatever the text', () => {
    fc.assert(fc.property(fc.string(), text => parseInstantUs(text) === null || true))
  })
})
