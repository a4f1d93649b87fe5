import { useRef } from 'preact/hooks'
import { CopyButton } from './copy-button.tsx'

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
