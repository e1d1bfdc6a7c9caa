;;; Eglot: the answer to deny denies, and nothing changes -*- lexical-binding: t -*-

(let ((server (kit-start)))
  (setq kit-answer (lambda (titles) (car (last titles))))
  (kit-ask server "replace \"hello\" with \"goodbye\" in main.rs")
  (kit-wait (lambda () (kit-said "did not work")) "the answer")
  (kit-check (= 1 (length kit-asked)) "One question" kit-asked)
  (kit-check (equal kit-main (buffer-string)) "The buffer is as it was" (buffer-string))
  (kit-check (equal kit-main (kit-disk)) "The disk is as it was" (kit-disk))
  (eglot-shutdown server))
