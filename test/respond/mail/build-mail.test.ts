import { expect } from 'chai'
import { assert, property, string, uniqueArray } from 'fast-check'
import { buildMail, type MailContent } from '../../../respond/mail/build-mail.ts'
import type { MessageContext } from '../../../respond/mail/describe-incident.ts'
import type { IncidentRecord } from '../../../schema/records/incident.ts'
import { exampleIncident } from '../../support/alerting/example-incident.ts'

const context: MessageContext = {
  target: { name: 'Shift leaders', language: 'en' },
  timeZone: 'Europe/Berlin',
  publicUrl: 'https://takt.example',
  reasonNames: new Map([[7, 'Tool change']]),
  callKindNames: new Map([['help', 'Help']]),
}
const contentOf = (incidents: readonly IncidentRecord[], changes: Partial<MailContent> = {}): MailContent => ({
  event: 'incident.opened',
  incidents,
  count: incidents.length,
  template: null,
  ...changes,
})
const build = (incident: Partial<IncidentRecord> = {}, changes: Partial<MailContent> = {}) =>
  buildMail(contentOf([exampleIncident(incident)], changes), context)

describe('mails of incidents', () => {
  it('A mail names rule, machine, reason and times in the time zone of the company, and is readable as text', () => {
    const { subject, text } = build()
    expect(subject).to.equal('[New] Long stop: Mill 1')
    expect(text).to.equal(
      [
        'Long stop: Mill 1',
        'Severity: Warning',
        'State: Open',
        'Detail: Tool change',
        'Start: 27 Nov 2026, 07:20',
        'https://takt.example/app/now?incident=00000000-0000-4000-8000-000000000001',
        '',
        'Times are in Europe/Berlin. You receive this mail through the alert target Shift leaders.',
        '',
      ].join('\n'),
    )
  })

  it('A mail is in the language of its target', () => {
    const target = { name: 'Schichtleiter', language: 'de' } as const
    const incident = exampleIncident({
      state: 'resolved',
      endedAt: '2026-11-27T06:40:00.000Z',
      resolvedBy: { kind: 'user', id: 'u', name: 'Ada' },
    })
    const { subject, text, html } = buildMail(contentOf([incident], { event: 'incident.resolved' }), {
      ...context,
      target,
    })
    expect(subject).to.equal('[Behoben] Long stop: Mill 1')
    expect(text).to.contain('Schwere: Warnung\nZustand: Behoben\n').and.to.contain('Ende: 27.11.2026, 07:40')
    expect(text).to.contain('Behoben von: Ada')
    expect(html).to.contain('<html lang="de">')
  })

  it('Details of all kinds are shown', () => {
    const detailOf = (detail: IncidentRecord['detail']) => /^Detail: (.*)$/m.exec(build({ detail }).text)?.[1]
    expect(detailOf({ reasonId: 'setup' })).to.equal('setup')
    expect(detailOf({ reasonId: 'uncategorized' })).to.equal('without a reason')
    expect(detailOf({ reasonId: 9 })).to.equal('9')
    expect(detailOf({ status: 'FAULT' })).to.equal('Fault')
    expect(detailOf({ call: { kind: 'help', note: 'Chips' } })).to.equal('Help: Chips')
    expect(detailOf({ connectorState: 'stopped' })).to.equal('stopped')
    expect(detailOf({ check: 'disk', value: 95 })).to.equal('Disk usage: 95')
    expect(detailOf({ check: 'log' })).to.equal('Log is unavailable')
    expect(detailOf({})).to.equal(undefined)
    const alarms = [
      { nativeCode: '12', state: 'FAULT', message: 'Spindle' } as const,
      { nativeCode: '13', state: 'FAULT', message: '' } as const,
    ]
    expect(detailOf({ alarms })).to.equal('12 Spindle; 13')
  })

  it('Without the address of Takt, a mail has no links', () => {
    const { text, html } = buildMail(contentOf([exampleIncident()]), { ...context, publicUrl: null })
    expect(text).not.to.match(/https?:/)
    expect(html).not.to.contain('<a ')
  })

  it('A template fills subject and text; its fields cannot add further fields', () => {
    const template = { subject: '{subject} / {severity}', text: 'Cause: {detail}\nMachine: {subject}' }
    const { subject, text } = build({ subject: { type: 'machine', id: 'm', name: '{detail}' } }, { template })
    expect(subject).to.equal('[New] {detail} / Warning')
    expect(text).to.contain('\nCause: Tool change\nMachine: {detail}\n')
  })

  it('500 incidents are one mail, which names the 100 that opened first and counts the rest', () => {
    const incidents = Array.from({ length: 500 }, (_, index) =>
      exampleIncident({
        id: `incident-${index}`,
        subject: { type: 'machine', id: `m${index}`, name: `Machine ${index}` },
        openedAt: new Date(Date.UTC(2026, 0, 1) - index).toISOString(),
      }),
    )
    const { subject, text, html } = buildMail(contentOf(incidents), context)
    expect(subject).to.equal('[New] Long stop: 500 incidents')
    const named = [...text.matchAll(/^Long stop: Machine (\d+)$/gm)].map(([, index]) => Number(index))
    expect(named).to.deep.equal(Array.from({ length: 100 }, (_, index) => 499 - index))
    expect(text).to.contain('\nand 400 more\n')
    expect(html.match(/<h2/g)).to.have.length(100)
  })

  it('Line breaks, controls and bidirectional controls of a value add no line', () => {
    const name = 'Mill\r\nBcc: eve@example.com\u2028x\u202ey\u0000z'
    const { subject, text } = build({ subject: { type: 'machine', id: 'm', name } })
    expect(subject).to.equal('[New] Long stop: Mill Bcc: eve@example.com x y z')
    expect(text.split('\n')[0]).to.equal('Long stop: Mill Bcc: eve@example.com x y z')
  })

  it('HTML and javascript: in values stay text', () => {
    const evil = `<img src=x onerror=alert(1)><a href="javascript:alert(1)">'&amp;`
    const template = { subject: '{subject}', text: '<script>{subject}</script>' }
    for (const changes of [{}, { template }]) {
      const { html } = build(
        {
          ruleName: evil,
          subject: { type: 'machine', id: 'm', name: evil },
          detail: { call: { kind: evil, note: evil } },
          acknowledgedBy: { kind: 'user', id: 'u', name: evil },
        },
        changes,
      )
      expect(html).not.to.match(/<(img|script)/)
      expect([...html.matchAll(/href="([^"]*)"/g)].map(([, href]) => href)).to.deep.equal([
        'https://takt.example/app/now?incident=00000000-0000-4000-8000-000000000001',
      ])
    }
  })

  it('Random values change no element of the HTML', () => {
    const tagsOf = (html: string) => html.match(/<[^>]*>/g)
    const expected = tagsOf(build({ detail: { call: { kind: 'k', note: 'n' } } }).html)
    const texts = uniqueArray(string({ unit: 'binary', minLength: 1 }), { minLength: 4, maxLength: 4 })
    assert(
      property(texts, ([ruleName = '', name = '', kind = '', note = '']) => {
        const { html, subject } = build({
          ruleName,
          subject: { type: 'machine', id: 'm', name },
          detail: { call: { kind: `k${kind}`, note } },
        })
        expect(tagsOf(html)).to.deep.equal(expected)
        expect(subject).not.to.match(/[\r\n\0]/)
      }),
      { numRuns: 300 },
    )
  })

  it('A note of 10 MB, and a template that repeats it, give a small mail', () => {
    const note = '<é\n'.repeat(3_500_000)
    const template = { subject: '{detail}'.repeat(20), text: '{detail}\n'.repeat(400) }
    const incidents = Array.from({ length: 100 }, (_, index) =>
      exampleIncident({ id: String(index), detail: { call: { kind: 'help', note } } }),
    )
    for (const each of [null, template]) {
      const { subject, text, html } = buildMail(contentOf(incidents, { template: each }), context)
      expect(subject.length).to.be.at.most(200)
      expect(text.length).to.be.lessThan(1_000_000)
      expect(html.length).to.be.lessThan(4_000_000)
    }
  })
})
