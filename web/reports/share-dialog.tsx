import { useState } from 'preact/hooks'
import type { FileFormat } from '../../schema/requests/report.ts'
import type { FlatRequest, ProductionBody } from '../data/production.ts'
import { useViewer } from '../data/viewer.ts'
import { serviceUrl } from '../router/address.ts'
import { useLocale } from '../texts/locale.ts'
import { Button } from '../ui/button.tsx'
import { Code } from '../ui/code.tsx'
import { serviceAddress } from '../ui/commands.ts'
import { Dialog } from '../ui/dialog.tsx'
import { Failure } from '../ui/notice.tsx'
import { useAction } from '../ui/use-action.ts'

interface ShareProps {
  readonly endpoint: `POST /reports/${'production' | 'downtime' | 'quality' | 'alarm' | 'incident'}`
  readonly body: FlatRequest | ProductionBody
}

/** Formats of files, the most usual first. */
const formats = ['xlsx', 'csv', 'parquet'] as const satisfies readonly FileFormat[]

/** A button that opens the dialog to share or download a report. */
export function ShareButton(props: ShareProps) {
  const { t } = useLocale()
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button icon="share" text={t.reports.sharing} onClick={() => setOpen(true)} />
      {isOpen && <ShareDialog {...props} onClose={() => setOpen(false)} />}
    </>
  )
}

/** The report as a link, as a command, and as files. */
function ShareDialog({ endpoint, body, onClose }: ShareProps & { readonly onClose: () => void }) {
  const { t, language } = useLocale()
  const { client } = useViewer()
  const action = useAction()
  const words = t.reports
  const download = (format: FileFormat) =>
    action.run(async () => {
      const { csv } = await client.call(endpoint, { body: { ...body, csv: true, format } })
      if (!csv) return
      // The address contains a short-lived token instead of a key.
      const token = await client.call('GET /user-token')
      const address = new URL(new URL(csv.url).pathname.replace(/^.*?csv\//, 'csv/'), serviceUrl)
      address.searchParams.set('token', token)
      if (format === 'csv') address.searchParams.set('localize', 'true')
      address.searchParams.set('language', language)
      const link = document.createElement('a')
      link.href = address.href
      link.download = ''
      link.click()
    })
  return (
    <Dialog title={words.sharing} onClose={onClose}>
      <section class="stack">
        <h3>{words.link}</h3>
        <p class="hint">{words.linkHint}</p>
        <Code label={words.link} text={location.href} />
      </section>
      <section class="stack">
        <h3>{words.files}</h3>
        <p class="hint">{words.filesHint}</p>
        <div class="presets">
          {formats.map(format => (
            <Button
              key={format}
              icon="download"
              text={words[format]}
              disabled={action.isBusy}
              onClick={() => download(format)}
            />
          ))}
        </div>
        <Failure error={action.error} />
      </section>
      <section class="stack">
        <h3>{words.curl}</h3>
        <p class="hint">{words.curlHint}</p>
        <Code label={words.curl} text={commandOf({ endpoint, body })} />
      </section>
    </Dialog>
  )
}

function commandOf({ endpoint, body }: ShareProps): string {
  const text = JSON.stringify(body).replaceAll("'", String.raw`'\''`)
  return [
    `curl -s ${serviceAddress}${endpoint.slice('POST '.length)} \\`,
    `  -H "Authorization: Bearer $TAKT_KEY" -H 'Content-Type: application/json' \\`,
    `  -d '${text}'`,
  ].join('\n')
}
