import { useState } from 'preact/hooks'
import { useAction } from './use-action.ts'

/** Values of the text fields of a form, which `send` submits. */
export function useForm<Values extends Readonly<Record<string, string>>>(
  first: Values,
  send: (values: Values) => Promise<void>,
) {
  const { isBusy, error, errorOf, run } = useAction()
  const [values, setValues] = useState(first)
  return {
    isBusy,
    error,
    reset: () => setValues(first),
    /** Properties of the required field of a value. */
    field: (name: keyof Values & string) => ({
      value: values[name] ?? '',
      error: errorOf(name),
      required: true,
      onValue: (value: string) => setValues(before => ({ ...before, [name]: value })),
    }),
    onSubmit: (event: Event) => {
      event.preventDefault()
      run(() => send(values))
    },
  }
}
