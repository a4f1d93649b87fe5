/** Sentences in which a rejected form is right: `{file, form, text, reason}`; `text` is a part of the sentence. */
export const exceptions = []
