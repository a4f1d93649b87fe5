import { useState } from 'preact/hooks'
import type { Endpoint } from '../data/endpoints.ts'
import type { FlatRequest, ProductionBody } from '../data/production.ts'
import { useViewer } from '../data/viewer-context.ts'
import { serviceUrl } from '../router/address.ts'
import { useLocale } from '../texts/locale.ts'
import { Code } from '../ui/code.tsx'
import { serviceAddress } from '../ui/commands.ts'
import { Dialog } from '../ui/dialog.tsx'
import { Icon } from '../ui/icon.tsx'
import { Failure } from '../ui/notice.tsx'
import { useAction } from '../ui/use-action.ts'

type ReportEndpoint = Extract<Endpoint, `POST /reports/${string}`>
type Body = FlatRequest | ProductionBody

interface ShareProps {
  readonly endpoint: ReportEndpoint
  readonly body: Body
  /** Has the report kept as a file. */
  readonly askFile: (wish: {
    readonly csv: true
    readonly format: 'csv' | 'parquet'
  }) => Promise<{ readonly csv?: { readonly url: string } }>
}

/** A button that opens the ways in which a report leaves the page. */
export function ShareButton(props: ShareProps) {
  const { t } = useLocale()
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <button type="button" class="button" onClick={() => setOpen(true)}>
        <Icon name="share" size={16} />
        {t.reports.sharing}
      </button>
      {isOpen && <ShareDialog {...props} onClose={() => setOpen(false)} />}
    </>
  )
}

/** The report as a link, as a command, and as files. */
function ShareDialog({ endpoint, body, askFile, onClose }: ShareProps & { readonly onClose: () => void }) {
  const { t } = useLocale()
  const { client } = useViewer()
  const action = useAction()
  const words = t.reports
  const download = (format: 'csv' | 'parquet') =>
    action.run(async () => {
      const { csv } = await askFile({ csv: true, format })
      if (!csv) return
      // A key does not belong into an address: its token is short-lived.
      const token = await client.call('GET /user-token')
      const address = new URL(new URL(csv.url).pathname.replace(/^.*?csv\//, 'csv/'), serviceUrl)
      address.searchParams.set('token', token)
      if (format === 'csv') address.searchParams.set('localize', 'true')
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
          {(['csv', 'parquet'] as const).map(format => (
            <button key={format} type="button" class="button" disabled={action.isBusy} onClick={() => download(format)}>
              <Icon name="download" size={16} />
              {words[format]}
            </button>
          ))}
        </div>
        {action.error !== null && <Failure error={action.error} />}
      </section>
      <section class="stack">
        <h3>{words.curl}</h3>
        <p class="hint">{words.curlHint}</p>
        <Code label={words.curl} text={commandOf(endpoint, body)} />
      </section>
    </Dialog>
  )
}

function commandOf(endpoint: ReportEndpoint, body: Body): string {
  const text = JSON.stringify(body).replaceAll("'", String.raw`'\''`)
  return [
    `curl -s ${serviceAddress}${endpoint.slice('POST '.length)} \\`,
    `  -H "Authorization: Bearer $TAKT_KEY" -H 'Content-Type: application/json' \\`,
    `  -d '${text}'`,
  ].join('\n')
}
