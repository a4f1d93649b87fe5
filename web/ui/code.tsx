import { useEffect, useRef, useState } from 'preact/hooks'
import { useLocale } from '../texts/locale.ts'
import { Icon } from './icon.tsx'

/** A command or a value to copy. */
export function Code({ label, text }: { readonly label: string; readonly text: string }) {
  const code = useRef<HTMLElement>(null)
  return (
    <div class="code">
      <pre tabIndex={0} aria-label={label} role="region">
        <code ref={code}>{text}</code>
      </pre>
      <CopyButton text={text} from={() => code.current} />
    </div>
  )
}

const shownMs = 2500

/** Copies a text and confirms it. Without a clipboard in the browser (plain http), the text is selected instead. */
function CopyButton({ text, from }: { readonly text: string; readonly from: () => HTMLElement | null }) {
  const { t } = useLocale()
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return undefined
    const timer = setTimeout(() => setCopied(false), shownMs)
    return () => clearTimeout(timer)
  }, [isCopied])
  const copy = () => {
    const select = () => getSelection()?.selectAllChildren(from() ?? document.body)
    if (!('clipboard' in navigator)) select()
    else navigator.clipboard.writeText(text).then(() => setCopied(true), select)
  }
  return (
    <button type="button" class="button quiet" onClick={copy}>
      <Icon name={isCopied ? 'check' : 'copy'} size={16} />
      <span aria-live="polite">{isCopied ? t.keys.copied : t.keys.copy}</span>
    </button>
  )
}
