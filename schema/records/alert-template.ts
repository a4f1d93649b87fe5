/** Fields of an incident that a template may name, as `{ruleName}`. */
export const templateFields = [
  'ruleName',
  'severity',
  'kind',
  'subject',
  'detail',
  'state',
  'startedAt',
  'openedAt',
  'endedAt',
  'acknowledgedBy',
  'resolvedBy',
  'url',
] as const
export type TemplateField = (typeof templateFields)[number]

const placeholder = /\{([^{}]*)\}/g

/** Returns the names in braces that a template must not contain. */
export function findUnknownFields(template: string): readonly string[] {
  return [...template.matchAll(placeholder)].flatMap(([, name = '']) => (isField(name) ? [] : [name]))
}

/** Replaces the fields of a valid template by their values; braces in values stay text. */
export function fillTemplate(template: string, values: Readonly<Record<TemplateField, string>>): string {
  return template.replace(placeholder, (text, name: string) => (isField(name) ? values[name] : text))
}

function isField(name: string): name is TemplateField {
  return templateFields.some(field => field === name)
}
